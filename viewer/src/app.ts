// SPDX-License-Identifier: BSD-3-Clause
//
// What the panels share: the pose that is shown, the solid that is selected, layers, and whether
// the program is there. Panels tell it what they want; it tells the picture and the other panels.
import type { Client } from './client';
import type { Layer, Near, PageDocument, PoseAnswer, Verdict, Volume } from './document';
import { floats, isolated } from './dom';
import type { Picture } from './picture';

export type LayerName =
  | Layer
  | 'objects'
  | 'planes'
  | 'cells'
  | 'witnesses'
  | 'swept'
  | 'grid';

/** Who has put the pose there. */
export type Source = 'pose' | 'motion' | 'guard' | 'pairs';

/** A pose with all that is known of it. */
export interface Shown {
  source: Source;
  caption: string;
  q: number[];
  frames: Float32Array;
  verdict: Verdict;
  /** All margins are kept. */
  kept: boolean;
  distance: number | null;
  lower_bound: number | null;
  depth: number | null;
  near: Near[];
  /** One a solid; null: not known. */
  clearance: ArrayLike<number | null> | null;
  partner: number[];
  beyond: number[];
  /** An object that is not where the world has it: 3x4 by rows, from there. */
  placed?: { solid: number; X: Float32Array };
  /** Who decides, where no nearest points are known. */
  pair?: [number, number] | null;
}

export function shownAnswer(answer: PoseAnswer, source: Source, caption: string): Shown {
  const near = answer.near.length === 0 && answer.nearest ? [answer.nearest] : answer.near;
  return {
    source,
    caption,
    q: answer.q,
    frames: floats(answer.frames),
    verdict: answer.verdict,
    kept: answer.kept,
    distance: answer.distance,
    lower_bound: answer.lower_bound,
    depth: answer.depth,
    near,
    clearance: answer.clearance.length > 0 ? answer.clearance : null,
    partner: answer.partner,
    beyond: answer.beyond,
  };
}

interface Events {
  /** Somebody will show something: the others stop to, before its answer is there. */
  claim: Source;
  shown: Shown;
  select: number;
  layer: LayerName;
  connection: boolean;
  theme: boolean;
  resize: void;
  /** Angles are in degrees, or in radians. */
  units: boolean;
}
type Handlers = { [K in keyof Events]: ((value: Events[K]) => void)[] };

export class App {
  scene!: Picture;
  shown: Shown | null = null;
  selected = -1;
  dark = false;
  /** Null in a report. */
  client: Client | null = null;
  readonly layers = new Map<LayerName, boolean>();
  private readonly volumes = new Map<Source, Volume[]>();
  private drawn: Volume[] = [];
  private placed = -1;
  /** Angles are told in degrees. */
  degrees = false;
  private readonly handlers: Handlers = {
    claim: [],
    shown: [],
    select: [],
    layer: [],
    connection: [],
    theme: [],
    resize: [],
    units: [],
  };

  constructor(readonly document: PageDocument) {}

  get world() {
    return this.document.world;
  }

  /** Poses can be asked for now. */
  get connected(): boolean {
    return this.client !== null && this.client.connected && !this.client.foreign;
  }

  on<K extends keyof Events>(event: K, handler: (value: Events[K]) => void): void {
    this.handlers[event].push(handler);
  }

  tell<K extends keyof Events>(event: K, value: Events[K]): void {
    for (const handler of this.handlers[event]) handler(value);
  }

  name(solid: number): string {
    const name = this.world.solids[solid]?.name;
    return name === undefined ? '\u2013' : isolated(name);
  }

  pairName(pair: [number, number] | null): string {
    if (!pair || pair[0] < 0) return '\u2013';
    return pair[1] < 0 ? this.name(pair[0]) : `${this.name(pair[0])} \u2013 ${this.name(pair[1])}`;
  }

  show(shown: Shown): void {
    this.tell('claim', shown.source);
    this.shown = shown;
    const first = shown.near[0];
    const pair = shown.pair ?? (first ? ([first.a, first.b] as [number, number]) : null);
    this.place(shown.placed);
    this.scene.setPose(shown.frames, shown.clearance, shown.verdict === 'contact' ? pair : null);
    this.scene.setWitnesses(shown.near);
    this.drawVolumes();
    this.tell('shown', shown);
  }

  private place(placed: Shown['placed']): void {
    const solid = placed ? placed.solid : -1;
    if (this.placed >= 0 && this.placed !== solid) this.scene.setPlacement(this.placed, null);
    if (placed) this.scene.setPlacement(solid, placed.X);
    this.placed = solid;
  }

  select(solid: number): void {
    this.selected = solid;
    this.scene.select(solid);
    this.tell('select', solid);
  }

  setLayer(layer: LayerName, visible: boolean): void {
    if (this.layers.get(layer) === visible) return;
    this.layers.set(layer, visible);
    this.scene.setLayer(layer, visible);
    if (layer === 'swept') this.drawVolumes();
    this.tell('layer', layer);
  }

  /** Volumes stay with their source: they show while its pose does. */
  setVolumes(source: Source, volumes: Volume[]): void {
    this.volumes.set(source, volumes);
    this.drawVolumes();
  }

  private drawVolumes(): void {
    const source = this.shown?.source;
    const wanted = (source && this.layers.get('swept') && this.volumes.get(source)) || kNothing;
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    this.scene.setVolumes(wanted);
  }
}

const kNothing: Volume[] = [];
