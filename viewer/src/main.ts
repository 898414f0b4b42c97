// SPDX-License-Identifier: BSD-3-Clause
//
// The page: finds its document, in itself or from the program, and puts picture and panels
// together.
import 'uplot/dist/uPlot.min.css';
import './page.css';
import './controls.css';
import './panels.css';
import './narrow.css';
import { App, type LayerName } from './app';
import { Client, fetchDocument } from './client';
import { DetailsPanel } from './details';
import type { PageDocument } from './document';
import { byId, make, setText } from './dom';
import { GuardPanel } from './guard';
import { JointsPanel } from './joints';
import { type Shortcut, listen } from './keys';
import { LayersPanel, type ViewName, printPicture } from './layers';
import { MotionPanel, acceptDrops } from './motion';
import { offerReload, showConnection, showFile, showReadout, showTheme } from './readout';
import { PairsTable, fitTable } from './results';
import { type Picture, pictureOf } from './picture';
import { SweepPanel } from './sweep';
import { Tabs } from './tabs';
import { textPanel } from './text';

declare global {
  interface Window {
    /** For tests, and for the curious. */
    keepclear?: { document: PageDocument; scene: Picture; app: App };
  }
}

/** A report carries its document; a live page asks for it until the program answers. */
async function findDocument(): Promise<PageDocument> {
  const held = document.getElementById('document');
  if (held) return JSON.parse(held.textContent ?? '') as PageDocument;
  for (;;) {
    try {
      const found = await fetchDocument();
      byId('banner').hidden = true;
      return found;
    } catch (error) {
      document.body.dataset.connection = 'lost';
      const banner = byId('banner');
      banner.hidden = false;
      setText(banner, `No answer from the program: ${(error as Error).message}. Trying again.`);
      await new Promise((done) => setTimeout(done, 1500));
    }
  }
}

class Page {
  readonly app: App;
  private readonly tabs: Tabs;
  private readonly joints: JointsPanel;
  private readonly layers: LayersPanel;
  private readonly details: DetailsPanel;
  private readonly motion: MotionPanel;
  private readonly guard: GuardPanel | null;

  constructor(private readonly content: PageDocument) {
    const app = new App(content);
    this.app = app;
    setText(byId('title'), content.title);
    byId('title').title = content.title;
    document.title = content.title;
    const canvas = byId<HTMLCanvasElement>('scene');
    app.scene = pictureOf(canvas, content.world, (hit) => {
      if (!hit) app.select(-1);
      else {
        this.details.pick(hit.solid, hit.body);
        this.tabs.open('bodies');
      }
    });
    app.on('theme', (dark) => app.scene.setTheme(dark));
    showReadout(app);
    const nextTheme = showTheme(app);
    this.layers = new LayersPanel(app);
    this.joints = new JointsPanel(app);
    this.details = new DetailsPanel(app);
    this.motion = new MotionPanel(app);
    this.guard = content.guard ? new GuardPanel(app, content.guard) : null;
    this.tabs = new Tabs(app);
    this.addTabs();
    this.fillWindow();
    printPicture(app);
    listen(this.shortcuts(nextTheme));
    if (content.live) this.connect();
    else showFile();
    this.showFirst();
  }

  get scene(): Picture {
    return this.app.scene;
  }

  private addTabs(): void {
    const { app, content, tabs } = this;
    const pose: HTMLElement[] = [this.joints.element];
    if (content.live) {
      const sweep = new SweepPanel(app, this.joints);
      this.joints.onMoved = () => sweep.update();
      pose.push(sweep.element);
    }
    tabs.add('pose', 'Pose', pose);
    tabs.add('bodies', 'Bodies', [this.details.element]);
    if (content.live || this.motion.any) {
      tabs.add('motion', 'Motion', [this.motion.element], this.motion.dock);
      this.motion.onLoaded = () => tabs.open('motion');
    }
    if (this.guard) tabs.add('guard', 'Guard', [this.guard.element], this.guard.dock);
    if (content.fit || content.pairs) {
      const results = make('section', { class: 'panel', 'aria-label': 'Results' });
      if (content.fit) results.append(fitTable(app, content.fit));
      if (content.pairs) results.append(new PairsTable(app, content.pairs).element);
      tabs.add('results', 'Results', [results]);
    }
    tabs.add('text', 'Text', [textPanel(app)]);
  }

  /** A live page starts at its first state or with its guard; a report at what decides it. */
  private showFirst(): void {
    const { content, tabs } = this;
    this.joints.showState(0);
    if (this.motion.any) tabs.showDock(this.motion.dock);
    if (this.guard) {
      this.guard.begin();
      tabs.open('guard');
    } else if (!content.live && this.motion.any) {
      this.motion.showCritical();
      tabs.open('motion');
    } else tabs.open(!content.live && (content.fit || content.pairs) ? 'results' : 'pose');
    this.app.scene.resize();
    this.app.scene.look('iso');
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        document.body.dataset.ready = 'yes';
      }),
    );
  }

  private connect(): void {
    const { app } = this;
    showConnection(app);
    acceptDrops(this.motion);
    app.client = new Client({
      found: (hash) => {
        app.client!.foreign = hash !== app.world.hash;
        if (app.client!.foreign) offerReload();
        app.tell('connection', true);
      },
      lost: () => app.tell('connection', false),
      guard: (event) => {
        if (app.connected) this.guard?.take(event);
      },
    });
    app.client.open();
  }

  /** The picture and the plots fill what the layout gives them. */
  private fillWindow(): void {
    const { app } = this;
    app.on('resize', () => {
      this.motion.resize();
      this.guard?.resize();
    });
    const watch = new ResizeObserver(() => {
      app.scene.resize();
      app.tell('resize', undefined);
    });
    watch.observe(byId('stage'));
    watch.observe(byId('dock'));
    watch.observe(byId('panels'));
  }

  private shortcuts(nextTheme: () => void): Shortcut[] {
    const { app, layers, motion } = this;
    const view = (key: string, from: ViewName) => ({
      key,
      words: `look from ${from === 'iso' ? 'a corner' : `the ${from}`}`,
      act: () => layers.look(from),
    });
    const layer = (key: string, name: LayerName, words: string) => ({
      key,
      words,
      act: () => layers.toggle(name),
    });
    return [
      { key: ' ', words: 'play or pause the motion', act: () => motion.toggle() },
      { key: 'n', words: 'nearest moment of the motion', act: () => motion.showNearest() },
      { key: 'k', words: 'first contact, or the nearest moment', act: () => motion.showCritical() },
      { key: 'f', words: 'everything in view', act: () => app.scene.fitView() },
      view('1', 'front'),
      view('2', 'left'),
      view('3', 'top'),
      view('4', 'iso'),
      layer('b', 'body', 'bodies that are checked'),
      layer('s', 'shape', 'shapes as described'),
      layer('h', 'hull', 'hulls'),
      layer('o', 'objects', 'objects'),
      layer('p', 'planes', 'half-spaces'),
      layer('e', 'cells', 'octree cells'),
      layer('w', 'witnesses', 'nearest points'),
      layer('v', 'swept', 'swept volumes'),
      layer('g', 'grid', 'floor grid'),
      { key: 'c', words: 'colours: by clearance or by robot', act: () => layers.toggleColouring() },
      { key: 't', words: 'light or dark', act: nextTheme },
      { key: 'Escape', words: 'select nothing', act: () => app.select(-1) },
    ];
  }
}

async function start(): Promise<void> {
  document.documentElement.classList.add('js');
  try {
    const content = await findDocument();
    const page = new Page(content);
    window.keepclear = { document: content, scene: page.scene, app: page.app };
  } catch (error) {
    const banner = byId('banner');
    banner.hidden = false;
    setText(banner, `The page could not be shown: ${(error as Error).message}`);
    document.documentElement.classList.remove('js');
    throw error;
  }
}

void start();
