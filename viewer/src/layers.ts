// SPDX-License-Identifier: BSD-3-Clause
//
// What stands on the picture: layers, colours and their legend, where it is looked at from.
import type { App, LayerName } from './app';
import { clearanceColour, legendStops } from './colours';
import { button, byId, download, make, remember, remembered, trimmed } from './dom';

export type ViewName = 'front' | 'left' | 'top' | 'iso';

const kLayers: [LayerName, string, string][] = [
  ['body', 'Bodies that are checked', 'b'],
  ['shape', 'Shapes as described', 's'],
  ['hull', 'Hulls of meshes', 'h'],
  ['objects', 'Objects', 'o'],
  ['planes', 'Half-spaces', 'p'],
  ['cells', 'Octree cells', 'e'],
  ['witnesses', 'Nearest points', 'w'],
  ['swept', 'Swept volumes', 'v'],
  ['grid', 'Floor grid', 'g'],
];

/** Those that the document has something for. */
function existing(app: App): typeof kLayers {
  const { items, boxes, balls, planes, cells, solids } = app.world;
  const { live, motions, guard } = app.document;
  const has: Record<LayerName, boolean> = {
    body: items.some((item) => item.layer === 'body'),
    shape: items.some((item) => item.layer === 'shape'),
    hull: items.some((item) => item.layer === 'hull'),
    objects: boxes.count > 0 || balls.count > 0 || solids.some((solid) => solid.object),
    planes: planes.length > 0,
    cells: cells.count > 0,
    witnesses: app.world.pairs > 0,
    swept: live || motions.length > 0 || guard !== undefined,
    grid: true,
  };
  return kLayers.filter(([name]) => has[name]);
}

export class LayersPanel {
  private readonly boxes = new Map<LayerName, HTMLInputElement>();
  private readonly colouring = make('select', { 'aria-label': 'Colours' });
  private readonly legend = byId('legend');
  /** The legend is one of clearances. */
  private known = true;

  constructor(private readonly app: App) {
    const list = byId('layer-list');
    const shown = existing(app);
    const hasBody = shown.some(([name]) => name === 'body');
    for (const [name, words, key] of shown) {
      const box = make('input', { type: 'checkbox', 'data-layer': name, 'aria-keyshortcuts': key });
      box.addEventListener('change', () => app.setLayer(name, box.checked));
      this.boxes.set(name, box);
      list.append(make('label', {}, box, make('span', {}, words), make('kbd', {}, key)));
      app.setLayer(name, this.atFirst(name, hasBody));
      box.checked = app.layers.get(name)!;
    }
    app.on('layer', (name) => {
      const box = this.boxes.get(name);
      if (box) box.checked = app.layers.get(name)!;
    });
    this.colouring.append(
      make('option', { value: 'clearance' }, 'by clearance'),
      make('option', { value: 'robot' }, 'by robot'),
    );
    this.colouring.addEventListener('change', () => this.colour());
    list.append(make('label', { class: 'colouring' }, make('span', {}, 'Colours'), this.colouring));
    for (const note of this.notes()) list.append(make('p', { class: 'quiet' }, note));
    const card = byId<HTMLDetailsElement>('layers');
    card.open = remembered('layers') === 'open' && window.innerWidth > 700;
    card.addEventListener('toggle', () => remember('layers', card.open ? 'open' : 'closed'));
    this.views();
    this.colour();
    app.on('theme', () => this.showLegend());
    app.on('shown', ({ clearance }) => {
      if ((clearance !== null) !== this.known) this.showLegend();
    });
  }

  toggle(name: LayerName): void {
    if (this.boxes.has(name)) this.app.setLayer(name, !this.app.layers.get(name));
  }

  toggleColouring(): void {
    this.colouring.value = this.colouring.value === 'robot' ? 'clearance' : 'robot';
    this.colour();
  }

  look(from: ViewName): void {
    this.app.scene.look(from);
  }

  /** What is proved is on: bodies. What they stand for is one key away. */
  private atFirst(name: LayerName, hasBody: boolean): boolean {
    if (name === 'shape') return !hasBody;
    return name !== 'hull' && name !== 'swept' && name !== 'cells';
  }

  private notes(): string[] {
    const { thinned, not_drawn } = this.app.world;
    const notes = [];
    if (thinned) notes.push('Meshes are drawn with fewer triangles than they have.');
    if (not_drawn > 0) notes.push(`${not_drawn} pieces of objects are not drawn.`);
    return notes;
  }

  private colour(): void {
    this.app.scene.setColouring(this.colouring.value as 'clearance' | 'robot');
    this.showLegend();
  }

  private showLegend(): void {
    const { dark, shown } = this.app;
    this.known = !shown || shown.clearance !== null;
    const scaled = this.known && this.colouring.value === 'clearance';
    const entry = (colour: string, text: string, kind = '') => {
      const swatch = make('i');
      swatch.style.background = colour;
      return make('span', { class: kind }, swatch, text);
    };
    const [touching, ...apart] = legendStops(dark);
    const last = apart.length - 1;
    const name = scaled ? 'Clearance, m' : 'A colour for each robot';
    this.legend.replaceChildren(
      make('span', { class: 'legend-name' }, name),
      entry(touching.colour, 'contact', 'contact'),
    );
    if (!scaled) return;
    apart.forEach(({ metres, colour }, i) =>
      this.legend.append(entry(colour, trimmed(metres, 3) + (i === last ? '+' : ''))),
    );
    this.legend.append(entry(clearanceColour(null, dark), 'not checked', 'unknown'));
  }

  private async save(): Promise<void> {
    const { scene, world } = this.app;
    try {
      download(await scene.picture(), `${world.name || 'keepclear'}.png`);
    } catch (error) {
      byId('announce').textContent = `Not saved: ${(error as Error).message}`;
    }
  }

  private views(): void {
    const { scene } = this.app;
    const bar = byId('views');
    const names: [ViewName, string][] = [
      ['front', '1'],
      ['left', '2'],
      ['top', '3'],
      ['iso', '4'],
    ];
    bar.append(button('Fit', () => scene.fitView(), { title: 'Everything in view (f)' }));
    for (const [name, key] of names) {
      const word = name[0].toUpperCase() + name.slice(1);
      bar.append(button(word, () => this.look(name), { title: `Look from there (${key})` }));
    }
    bar.append(
      button('Save', () => void this.save(), { title: 'Save the picture', id: 'save' }),
    );
  }
}

/** Paper gets a still picture: a canvas may be empty by the time it is printed. And it is white,
 * whatever the screen is. */
export function printPicture(app: App): void {
  const image = byId<HTMLImageElement>('printed');
  let [dark, printing] = [false, 0];
  const wear = (isDark: boolean) => {
    app.dark = isDark;
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    app.tell('theme', isDark);
  };
  window.addEventListener('beforeprint', () => {
    const era = ++printing;
    dark = app.dark;
    if (dark) wear(false);
    const ready = app.scene.picture();
    image.src = byId<HTMLCanvasElement>('scene').toDataURL('image/png');
    ready.then(
      (blob) => {
        if (era === printing) image.src = URL.createObjectURL(blob);
      },
      () => image.removeAttribute('src'),
    );
  });
  window.addEventListener('afterprint', () => {
    ++printing;
    if (image.src.startsWith('blob:')) URL.revokeObjectURL(image.src);
    image.removeAttribute('src');
    if (dark) wear(true);
  });
}
