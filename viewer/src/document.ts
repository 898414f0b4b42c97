// SPDX-License-Identifier: BSD-3-Clause
//
// What the program sends and the page shows. The same document comes from `keepclear view` (GET
// /api/document) and stands in the file that `keepclear report` writes. Metres, radians, seconds.
// Everything here is for display: float32 and thinned meshes. What was proved stands in numbers.

/** Little-endian numbers, base64. */
export type Packed = string;

export type Verdict = 'free' | 'contact' | 'undecided';

export interface PageDocument {
  format: 'keepclear-page';
  version: 1;
  /** The program is at the other end: poses can be asked for. */
  live: boolean;
  title: string;
  world: WorldDocument;
  /** Named configurations; the first one is shown at the start. */
  states: NamedState[];
  /** Answers for `states`, one each. */
  poses: PoseAnswer[];
  motions: Motion[];
  guard?: GuardRun;
  fit?: FitResult;
  pairs?: PairsResult;
  /** What a safety engineer files, as text. The report has it as HTML outside of the script too. */
  sections: TextSection[];
}

export interface TextSection {
  title: string;
  /** Name and value, in order. */
  rows: [string, string][];
  /** Paragraphs after the rows. */
  text: string[];
}

export interface Joint {
  name: string;
  /** revolute, continuous, prismatic, planar, floating */
  type: string;
  unit: 'rad' | 'm' | '';
  lower: number | null;
  upper: number | null;
}

export interface Solid {
  name: string;
  object: boolean;
  moves: boolean;
  /** -1: stands in the world */
  robot: number;
}

export interface BodyInfo {
  solid: number;
  /** The frame that carries it: index into PoseAnswer.frames. */
  frame: number;
  points: number;
  radius: number;
  /** What it stands for: mesh files without their folders, kinds of other shapes. */
  from: string;
  /** It comes from a model (`fit`); else it is the hull of its shape. */
  modelled: boolean;
  /** At most so far beyond the shape that it stands for. */
  excess: number;
  volume: number;
}

/** Triangles on a grid: vertex = lo + step * v. */
export interface Shape {
  lo: [number, number, number];
  step: number;
  /** Uint16, three a vertex. */
  v: Packed;
  /** Uint16, or Uint32 if wide; three a triangle, outward by the right-hand rule. */
  i: Packed;
  wide: boolean;
}

/** shape: as the description has it. hull: around a mesh, where bodies are not hulls already. body: what is checked. */
export type Layer = 'shape' | 'hull' | 'body';

export interface Item {
  layer: Layer;
  solid: number;
  /** Index into `bodies`; -1 for a shape or hull, and for pieces of objects that stand still. */
  body: number;
  /** 0: stands still. */
  frame: number;
  /** Pose in the frame, 3x4 by rows. */
  X: number[];
  /** Index into `shapes`. */
  shape: number;
}

export interface WorldDocument {
  name: string;
  file: string;
  hash: string;
  keepclear: string;
  joints: Joint[];
  solids: Solid[];
  bodies: BodyInfo[];
  shapes: Shape[];
  items: Item[];
  /** Boxes that stand still: Float32, 3x4 by rows from the cube [-1, 1]^3; Uint32 solids. */
  boxes: { X: Packed; solid: Packed; count: number };
  /** Balls that stand still: Float32 x, y, z, radius; Uint32 solids. */
  balls: { p: Packed; solid: Packed; count: number };
  /** Half-spaces: all points p with normal . (p - point) <= 0 are solid. */
  planes: { solid: number; point: [number, number, number]; normal: [number, number, number] }[];
  /** Octree leaves that hold something: Float32 lo x, y, z, hi x, y, z. */
  cells: { box: Packed; count: number };
  /** How many frames a pose has. */
  frames: number;
  /** Checked pairs. */
  pairs: number;
  margin: number;
  /** Meshes are shown with fewer triangles than they have. */
  thinned: boolean;
  /** Pieces of objects that are not drawn, for there are too many. */
  not_drawn: number;
  notes: string[];
}

export interface NamedState {
  name: string;
  q: number[];
}

/** Two solids and their nearest points. */
export interface Near {
  a: number;
  b: number;
  distance: number;
  lower_bound: number;
  points: [[number, number, number], [number, number, number]];
}

/** POST /api/pose {"q": [...]}. */
export interface PoseAnswer {
  q: number[];
  /** X_WF of every frame: Float32, 3x4 by rows. */
  frames: Packed;
  /** Of the bodies alone. */
  verdict: Verdict;
  /** All margins are kept, as `keepclear check` has it. */
  kept: boolean;
  /** As `keepclear distance` has it: zero in contact; null without a checked pair. */
  distance: number | null;
  lower_bound: number | null;
  /** How deep, in contact. */
  depth: number | null;
  nearest: Near | null;
  /** The nearest pairs, the least first, `nearest` among them. */
  near: Near[];
  /** For each solid the distance of its nearest partner and which that is; null and -1 for those
   * that are not checked. Empty where there are too many pairs. */
  clearance: (number | null)[];
  partner: number[];
  /** Indices of joints beyond their limits. */
  beyond: number[];
}

/** What a body covers over a box of joint values, drawn at pose X of the frame in which it was
 * computed. */
export interface Volume {
  solid: number;
  body: number;
  X: number[];
  shape: Shape;
}

/** POST /api/sweep {"q": [...], "half_width": [...]}: everything within half_width of q.
 * POST /api/braking {}: the braking motion of the guard's last state. */
export interface SweepAnswer {
  volumes: Volume[];
  /** Proved for every configuration in the box; not positive: not shown. Null without pairs. */
  clearance: number | null;
  pair: [number, number] | null;
  /** Bodies that are not drawn, for there are too many. */
  not_drawn: number;
}

export interface Interval {
  from: number;
  to: number;
  status: Verdict;
  pair: [number, number] | null;
  /** Of a contact: a time in it at which it is proved. */
  contact: number | null;
}

/** POST /api/motion?name=FILE with the text of a path file. */
export interface Motion {
  name: string;
  /** The solid that moves where joints do not. Then robots stand, there are no distances along the
   * way and no strip, nothing is swept, and `parts` counts balls. */
  object?: number;
  verdict: Verdict;
  begin: number;
  end: number;
  clearance: number | null;
  /** The nearest moment that was found. */
  distance: number | null;
  time: number | null;
  pair: [number, number] | null;
  first_contact: number | null;
  margin: number;
  tolerance: number;
  deviation: number;
  method: string;
  tests: number;
  parts: number;
  depth: number;
  /** 0: not timed. */
  seconds: number;
  /** What was promised, in words. */
  contract: string;
  intervals: Interval[];
  /** The proof as a strip: parts of the motion, in order of time, each with the least bound that
   * was proved over it, how many steps of proof (pairs) it took, and the method of most of them.
   * Of a motion in contact, up to there. */
  strip: { from: number[]; to: number[]; bound: number[]; steps: number[]; method: string[] };
  /** Poses along the way, in the order of time; the nearest moment and the first contact are among
   * them. `frames`: Float32, all frames of a pose after the other. Where an object moves, `q` and
   * `frames` are of one pose, that of all times. */
  samples: {
    time: number[];
    q: number[][];
    frames: Packed;
    distance: (number | null)[];
    lower_bound: (number | null)[];
    nearest: (Near | null)[];
    /** 1: all margins are kept there. */
    kept?: number[];
    /** Packed Float32, one a solid, NaN for none; empty where there are too many pairs. */
    clearance: Packed;
    /** Float32, 3x4 by rows for each time: from where the object is drawn to where it is then. */
    object?: Packed;
  };
  /** Swept volumes of parts of the motion, in order of time. */
  swept: { from: number; to: number; volumes: Volume[]; clearance: number | null; pair: [number, number] | null }[];
}

export type Action = 'go' | 'brake';

/** A run of the guard: a recording, a log of states, or what a running guard has done lately. */
export interface GuardRun {
  name: string;
  /** Numbers come in while it is looked at. */
  live: boolean;
  latency: number;
  /** The sum that the latency is, in words; null where it was given as one number. */
  latency_rule: string | null;
  margin: number;
  budget: number;
  /** Floating-point operations of a cycle, at most. */
  work_bound: number;
  /** A column each; all of one length. */
  rows: GuardRows;
  /** The last state of a live run, or those of some rows. */
  poses: GuardPose[];
  cycles: number;
  brakes: number;
  overruns: number;
  /** What cycles took: lower ends of bins in microseconds, and how many. Empty: not timed. */
  histogram: { from: number[]; count: number[]; median: number; p99: number; p999: number; max: number } | null;
}

export interface GuardRows {
  cycle: number[];
  time: number[];
  /** 1: go */
  go: number[];
  reason: string[];
  a: number[];
  b: number[];
  /** The bound of the guard: the pair keeps this while it brakes. */
  bound: (number | null)[];
  /** The distance at the state itself, of any pair. */
  distance: (number | null)[];
  flops: number[];
  microseconds: (number | null)[];
}

export interface GuardPose {
  /** Index into the rows. */
  row: number;
  pose: PoseAnswer;
  /** What the braking motion covers; empty where it was not computed. */
  volumes: Volume[];
}

/** Server-sent event `guard`, some times a second while a guard is attached. */
export interface GuardEvent {
  /** Why nothing can be shown: a guard of another world, nothing that a guard shows. */
  fault?: string | null;
  /** The guard is running: cycles came in since the last event. */
  running: boolean;
  /** Seconds since the last cycle came in; null before the first. */
  silent: number | null;
  /** Rows since the last event, thinned out: the worst of each stretch is kept. */
  rows: GuardRows;
  pose: PoseAnswer | null;
  cycles: number;
  brakes: number;
  overruns: number;
  histogram: GuardRun['histogram'];
}

export interface FitResult {
  model: string;
  around: string;
  bodies: {
    body: number;
    volume: number;
    hull_volume: number;
    excess: number;
    surface_distance: number | null;
  }[];
}

export interface PairsResult {
  pairs: {
    a: number;
    b: number;
    class: 'adjacent' | 'always' | 'never' | 'sometimes' | 'undecided';
    clearance: number | null;
    distance: number | null;
    /** Index into `poses` of this result; -1: none. */
    pose: number;
    disabled: string;
  }[];
  poses: PoseAnswer[];
}
