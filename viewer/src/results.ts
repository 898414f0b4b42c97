// SPDX-License-Identifier: BSD-3-Clause
//
// Results of `fit` and `pairs` as tables.
import { type App, shownAnswer } from './app';
import { numberCell } from './details';
import type { FitResult, PairsResult } from './document';
import { button, count, make, setText } from './dom';

function head(...names: [string, string?][]): HTMLTableSectionElement {
  const row = make('tr');
  for (const [name, title] of names) {
    const kind = title === undefined ? '' : 'number';
    row.append(make('th', { scope: 'col', class: kind, title: title || null }, name));
  }
  return make('thead', {}, row);
}

export function fitTable(app: App, fit: FitResult): HTMLElement {
  const body = make('tbody');
  let [volume, hull] = [0, 0];
  for (const row of fit.bodies) {
    const info = app.world.bodies[row.body];
    volume += row.volume;
    hull += row.hull_volume;
    const select = button(app.name(info?.solid ?? -1), () => app.select(info?.solid ?? -1), {
      class: 'link',
      title: info?.from ?? '',
    });
    const ratio = row.hull_volume > 0 ? row.volume / row.hull_volume : null;
    body.append(
      make(
        'tr',
        {},
        make('td', {}, select),
        make('td', { class: 'number' }, String(info?.points ?? '')),
        make('td', { class: 'number' }, ratio === null ? '\u2013' : ratio.toFixed(3)),
        numberCell(row.excess),
      ),
    );
  }
  const all = hull > 0 ? `, together ${(volume / hull).toFixed(3)} of the volume of the hulls` : '';
  return make(
    'section',
    { id: 'fit', 'aria-label': 'Fit' },
    make('h2', {}, 'Fitted bodies'),
    make('p', { class: 'quiet' }, `${fit.model}: ${count(fit.bodies.length)} bodies${all}.`),
    make('p', { class: 'quiet' }, `Around: ${fit.around}`),
    make(
      'table',
      {},
      head(
        ['Link'],
        ['Points', ''],
        ['Volume / hull', 'Volume over that of the hull'],
        ['Excess, m', 'At most so far beyond what it stands for'],
      ),
      body,
    ),
  );
}

const kShown = 150; // rows at a time
const kWords: Record<string, string> = {
  adjacent: 'joined by a joint',
  always: 'always in contact',
  never: 'never in contact',
  sometimes: 'sometimes in contact',
  undecided: 'undecided',
};

/** Thousands of pairs: found by name and class, shown some at a time. */
export class PairsTable {
  readonly element = make('section', { id: 'pairs', 'aria-label': 'Pairs' });
  private readonly body = make('tbody');
  private readonly search = make('input', {
    type: 'search',
    placeholder: 'Find a link',
    'aria-label': 'Find a pair by link',
  });
  private readonly choice = make('select', { 'aria-label': 'Class of pairs' });
  private readonly rest = button('', () => this.more(), { class: 'more' });
  private limit = kShown;

  constructor(
    private readonly app: App,
    private readonly result: PairsResult,
  ) {
    const classes = new Map<string, number>();
    for (const pair of result.pairs) classes.set(pair.class, (classes.get(pair.class) ?? 0) + 1);
    this.choice.append(make('option', { value: '' }, `all ${count(result.pairs.length)}`));
    for (const [name, number] of classes) {
      const words = `${kWords[name] ?? name}: ${count(number)}`;
      this.choice.append(make('option', { value: name }, words));
    }
    for (const input of [this.search, this.choice]) {
      input.addEventListener('input', () => {
        this.limit = kShown;
        this.show();
      });
    }
    this.element.append(
      make('h2', {}, 'Pairs of links'),
      make('div', { class: 'bar' }, this.search, this.choice),
      make(
        'table',
        {},
        head(['Pair'], ['Class'], ['Clearance, m', 'Proved for all configurations'], ['Pose']),
        this.body,
      ),
      this.rest,
    );
    this.show();
  }

  private more(): void {
    const before = this.limit;
    this.limit += kShown;
    this.show();
    // Where it was pressed there may be nothing any more: on with the first of the new ones.
    if (!this.rest.hidden) return;
    const next = [...this.body.rows].slice(before).find((row) => row.querySelector('button'));
    (next?.querySelector('button') ?? this.search).focus();
  }

  private show(): void {
    const wanted = this.search.value.trim().toLowerCase();
    const kind = this.choice.value;
    const found = this.result.pairs.filter(
      (pair) =>
        (!kind || pair.class === kind) &&
        (!wanted ||
          this.app.name(pair.a).toLowerCase().includes(wanted) ||
          this.app.name(pair.b).toLowerCase().includes(wanted)),
    );
    this.body.replaceChildren(...found.slice(0, this.limit).map((pair) => this.row(pair)));
    this.rest.hidden = found.length <= this.limit;
    setText(this.rest, `${count(found.length - this.limit)} more`);
  }

  private row(pair: PairsResult['pairs'][number]): HTMLTableRowElement {
    const names = this.app.pairName([pair.a, pair.b]);
    const pose = this.result.poses[pair.pose];
    const act = () => {
      this.app.show(shownAnswer(pose, 'pairs', `${names}, ${kWords[pair.class] ?? pair.class}`));
      this.app.select(pair.a);
    };
    const near = pair.distance === null ? '' : `Distance there: ${pair.distance} m`;
    const show = pose ? button('Show', act, { 'aria-label': `Show ${names}`, title: near }) : null;
    const off = pair.disabled ? make('span', { class: 'quiet' }, ` off: ${pair.disabled}`) : null;
    return make(
      'tr',
      { 'data-class': pair.class },
      make('td', {}, names, off),
      make('td', { class: 'class', title: kWords[pair.class] ?? '' }, pair.class),
      numberCell(pair.clearance),
      make('td', {}, show),
    );
  }
}
