// SPDX-License-Identifier: BSD-3-Clause
//
// Solids and their bodies: what was clicked, a list to find it by name, and the nearest pairs.
import type { App, Shown } from './app';
import { clearanceColour } from './colours';
import type { BodyInfo, Solid } from './document';
import { count, definitions, make, metres, redefine, setText, shortMetres } from './dom';
import { boundMetres } from './readout';

const kListed = 200; // solids; more are found by name

export class DetailsPanel {
  readonly element = make('section', { class: 'panel', 'aria-label': 'Bodies' });
  private readonly card = make('div', { class: 'card', id: 'details' });
  private readonly near = make('tbody');
  private readonly list = make('ul', { class: 'solids', 'aria-label': 'Solids' });
  private readonly rest = make('p', { class: 'quiet' });
  private readonly search = make('input', {
    type: 'search',
    placeholder: 'Find a link or an object',
    'aria-label': 'Find a link or an object',
  });
  private readonly bodies = new Map<number, { body: BodyInfo; index: number }[]>();
  private body = -1;
  /** What the card is of, and the list in it that goes with the pose. */
  private carded = '';
  private facts = make('dl');

  constructor(private readonly app: App) {
    app.world.bodies.forEach((body, index) => {
      const there = this.bodies.get(body.solid);
      if (there) there.push({ body, index });
      else this.bodies.set(body.solid, [{ body, index }]);
    });
    this.element.append(
      this.card,
      make('h2', {}, 'Nearest pairs'),
      make(
        'table',
        { class: 'near' },
        make(
          'thead',
          {},
          make(
            'tr',
            {},
            make('th', { scope: 'col' }, 'Pair'),
            make('th', { scope: 'col', class: 'number' }, 'Distance, m'),
          ),
        ),
        this.near,
      ),
      make('h2', {}, 'Links and objects'),
      this.search,
      this.list,
      this.rest,
    );
    this.search.addEventListener('input', () => this.showList());
    this.list.addEventListener('keydown', (event) => this.step(event));
    this.showList();
    this.showCard();
    app.on('select', () => {
      this.showCard();
      this.markList();
    });
    app.on('shown', (shown) => {
      this.showNear(shown);
      this.showCard();
    });
    app.on('theme', () => app.shown && this.showNear(app.shown));
  }

  /** What was clicked: a solid, and which of its bodies. */
  pick(solid: number, body: number): void {
    this.body = body;
    this.app.select(solid);
  }

  private partner(solid: number): [string, string][] {
    const shown = this.app.shown;
    if (!shown) return [];
    const clearance = shown.clearance?.[solid];
    const partner = shown.partner[solid] ?? -1;
    if (partner >= 0) {
      return [
        ['Nearest partner', this.app.name(partner)],
        ['Distance', metres(clearance)],
      ];
    }
    const pair = shown.near.find(({ a, b }) => a === solid || b === solid);
    if (pair) {
      return [
        ['Nearest partner', this.app.name(pair.a === solid ? pair.b : pair.a)],
        ['Distance', metres(pair.distance)],
      ];
    }
    if (typeof clearance === 'number' && !Number.isNaN(clearance)) {
      return [['Distance', metres(clearance)]];
    }
    return [['Nearest partner', shown.clearance ? 'not checked' : 'not among the nearest pairs']];
  }

  private showCard(): void {
    const solid = this.app.world.solids[this.app.selected];
    const key = `${this.app.selected} ${this.body}`;
    if (solid && key === this.carded) {
      // A pose alone: what has the focus, or is being marked, stays.
      redefine(this.facts, this.factsOf(solid));
      return;
    }
    this.carded = key;
    if (!solid) {
      this.card.dataset.solid = '';
      this.card.replaceChildren(
        make('p', { class: 'quiet' }, 'Click a body in the picture, or choose one below.'),
      );
      return;
    }
    const bodies = this.bodies.get(this.app.selected) ?? [];
    const first = Math.max(0, bodies.findIndex(({ index }) => index === this.body));
    const chosen = bodies[first];
    this.card.dataset.solid = String(this.app.selected);
    this.facts = definitions(this.factsOf(solid));
    this.card.replaceChildren(
      make('h2', {}, this.app.name(this.app.selected)),
      this.facts,
      ...(chosen ? [this.bodyCard(chosen.body, first, bodies.length)] : []),
    );
  }

  private factsOf(solid: Solid): [string, string][] {
    const kind = solid.object ? 'object' : 'link';
    return [
      ['Kind', solid.moves ? kind : `${kind} that stands still`],
      ['Bodies', count(this.bodies.get(this.app.selected)?.length ?? 0)],
      ...this.partner(this.app.selected),
    ];
  }

  private bodyCard(body: BodyInfo, at: number, of: number): HTMLElement {
    const source = body.modelled ? 'fitted, from the model' : 'hull of its shape';
    const card = make('div', { class: 'body-card' });
    card.append(
      make('h3', {}, of > 1 ? `Body ${at + 1} of ${of}` : 'Body'),
      definitions([
        ['Stands for', body.from],
        ['Made as', source],
        ['Points', count(body.points)],
        ['Radius', metres(body.radius)],
        ['Beyond the shape', `at most ${metres(body.excess)}`],
        ['Volume', `${(body.volume * 1000).toFixed(3)} l`],
      ]),
    );
    if (of > 1) {
      const next = make('button', { type: 'button' }, 'Next body');
      next.addEventListener('click', () => {
        const bodies = this.bodies.get(this.app.selected)!;
        this.body = bodies[(at + 1) % of].index;
        this.showCard();
        this.card.querySelector('button')?.focus();
      });
      card.append(next);
    }
    return card;
  }

  private showNear(shown: Shown): void {
    const left = this.near.contains(document.activeElement);
    while (this.near.rows.length > shown.near.length) this.near.deleteRow(-1);
    if (left && !this.near.contains(document.activeElement)) {
      this.near.querySelector<HTMLElement>('tr:last-child button')?.focus({ preventScroll: true });
    }
    shown.near.forEach((pair, i) => {
      let row = this.near.rows[i];
      if (!row) {
        row = this.near.insertRow();
        const choose = make('button', { type: 'button', class: 'link' });
        row.append(make('td', {}, choose), make('td', { class: 'number' }, make('i'), ''));
        row.cells[1].append(make('span'));
        choose.addEventListener('click', () => {
          const now = this.app.shown?.near[i];
          if (now) this.pick(now.a === this.app.selected ? now.b : now.a, -1);
        });
      }
      setText(row.cells[0].firstElementChild!, this.app.pairName([pair.a, pair.b]));
      const [swatch, text] = row.cells[1].children as unknown as [HTMLElement, HTMLElement];
      swatch.style.background = clearanceColour(pair.distance, this.app.dark);
      setText(text, pair.distance > 0 ? metres(pair.distance).replace(' m', '') : 'contact');
      row.cells[1].title = `at least ${boundMetres(pair.lower_bound)}`;
    });
  }

  private showList(): void {
    const wanted = this.search.value.trim().toLowerCase();
    const found: number[] = [];
    this.app.world.solids.forEach((solid, i) => {
      if (solid.name.toLowerCase().includes(wanted)) found.push(i);
    });
    this.list.replaceChildren(
      ...found.slice(0, kListed).map((i) => {
        const solid = this.app.world.solids[i];
        const choose = make('button', { type: 'button', 'data-solid': i }, this.app.name(i));
        choose.addEventListener('click', () => this.pick(i, -1));
        const kind = solid.object ? 'object' : solid.moves ? '' : 'stands still';
        return make('li', {}, choose, make('span', { class: 'quiet' }, kind));
      }),
    );
    const more = found.length - kListed;
    if (found.length === 0) setText(this.rest, 'None has that in its name.');
    else setText(this.rest, more > 0 ? `${count(more)} more: type a part of the name.` : '');
    this.markList();
  }

  /** Scrolls the list alone: what is read above it stays where it is. */
  private uncover(item: HTMLElement): void {
    const { list } = this;
    const top = item.offsetTop - list.offsetTop;
    const below = top + item.offsetHeight - list.clientHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (below > list.scrollTop) list.scrollTop = below;
  }

  /** One stop for the tabulator, arrows within. */
  private step(event: KeyboardEvent): void {
    const item = (event.target as Element).closest('li');
    const next = { ArrowDown: item?.nextElementSibling, ArrowUp: item?.previousElementSibling }[
      event.key
    ];
    if (!next) return;
    event.preventDefault();
    next.querySelector('button')!.focus();
  }

  private markList(): void {
    const items = [...this.list.querySelectorAll<HTMLElement>('button')];
    const at = items.findIndex((item) => Number(item.dataset.solid) === this.app.selected);
    for (const [i, item] of items.entries()) {
      const chosen = i === at;
      item.tabIndex = i === Math.max(0, at) ? 0 : -1;
      item.setAttribute('aria-pressed', String(chosen));
      if (chosen) this.uncover(item.parentElement!);
    }
  }
}

/** For tables: a short number, and the whole one to hover for. */
export function numberCell(value: number | null): HTMLTableCellElement {
  return make(
    'td',
    { class: 'number', title: value === null ? null : String(value) },
    shortMetres(value),
  );
}
