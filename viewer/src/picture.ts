// SPDX-License-Identifier: BSD-3-Clause
//
// The picture, or none: a machine without WebGL still gets every number.
import type { WorldDocument } from './document';
import { byId, make } from './dom';
import { type Picked, SceneView } from './scene';

export type Picture = { [K in keyof SceneView]: SceneView[K] };

export function pictureOf(
  canvas: HTMLCanvasElement,
  world: WorldDocument,
  onPick: (hit: Picked | null) => void,
): Picture {
  try {
    return new SceneView(canvas, world, onPick);
  } catch (error) {
    const words = `No picture: ${(error as Error).message}`;
    byId('stage').append(make('p', { class: 'no-picture', role: 'alert' }, words));
    return kNone;
  }
}

const nothing = () => {};

const kNone: Picture = {
  setPose: nothing,
  setPlacement: nothing,
  setWitnesses: nothing,
  setLayer: nothing,
  setColouring: nothing,
  setVolumes: nothing,
  select: nothing,
  setTheme: nothing,
  fitView: nothing,
  look: nothing,
  resize: nothing,
  stats: () => ({ fps: 0, triangles: 0, calls: 0 }),
  measure: () => 0,
  picture: () => Promise.reject(new Error('no picture')),
  screenPointOf: () => null,
  dispose: nothing,
};
