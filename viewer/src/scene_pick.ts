// SPDX-License-Identifier: BSD-3-Clause
//
// Where a ray meets triangles, boxes and balls. Written for many: no object is made on the way,
// and a ball around each thing is tested first.
import type { Layer } from './document';
import type { Surface } from './geometry';

export interface Picked {
  solid: number;
  /** -1: none */
  body: number;
  layer: Layer | 'box' | 'ball' | 'plane';
  point: [number, number, number];
}

/** From an origin in a direction of length one, and the nearest thing that it has met so far. */
export class PickRay {
  distance = Infinity;
  solid = -1;
  body = -1;
  layer: Picked['layer'] = 'body';

  constructor(
    readonly ox: number,
    readonly oy: number,
    readonly oz: number,
    readonly dx: number,
    readonly dy: number,
    readonly dz: number,
  ) {}

  meet(distance: number, solid: number, body: number, layer: Picked['layer']): void {
    if (distance >= this.distance) return;
    this.distance = distance;
    this.solid = solid;
    this.body = body;
    this.layer = layer;
  }

  /** Whether it comes by a ball before it met anything. */
  passes(x: number, y: number, z: number, radius: number): boolean {
    const px = x - this.ox;
    const py = y - this.oy;
    const pz = z - this.oz;
    const along = px * this.dx + py * this.dy + pz * this.dz;
    if (along < -radius || along - radius > this.distance) return false;
    return px * px + py * py + pz * pz - along * along <= radius * radius;
  }

  picked(): Picked | null {
    if (this.solid < 0) return null;
    const t = this.distance;
    return {
      solid: this.solid,
      body: this.body,
      layer: this.layer,
      point: [this.ox + t * this.dx, this.oy + t * this.dy, this.oz + t * this.dz],
    };
  }
}

/** How far along the ray a surface at a rigid pose (3x4 by rows) is; Infinity: not met. */
export function meetSurface(ray: PickRay, surface: Surface, X: Float32Array, at: number): number {
  const cx = ray.ox - X[at + 3];
  const cy = ray.oy - X[at + 7];
  const cz = ray.oz - X[at + 11];
  const ox = X[at] * cx + X[at + 4] * cy + X[at + 8] * cz;
  const oy = X[at + 1] * cx + X[at + 5] * cy + X[at + 9] * cz;
  const oz = X[at + 2] * cx + X[at + 6] * cy + X[at + 10] * cz;
  const dx = X[at] * ray.dx + X[at + 4] * ray.dy + X[at + 8] * ray.dz;
  const dy = X[at + 1] * ray.dx + X[at + 5] * ray.dy + X[at + 9] * ray.dz;
  const dz = X[at + 2] * ray.dx + X[at + 6] * ray.dy + X[at + 10] * ray.dz;
  const { positions: p, indices } = surface;
  let nearest = Infinity;
  for (let i = 0; i < indices.length; i += 3) {
    const a = 3 * indices[i];
    const b = 3 * indices[i + 1];
    const c = 3 * indices[i + 2];
    // Moeller and Trumbore (1997), both sides.
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const hx = dy * vz - dz * vy;
    const hy = dz * vx - dx * vz;
    const hz = dx * vy - dy * vx;
    const determinant = ux * hx + uy * hy + uz * hz;
    if (determinant === 0) continue;
    const sx = ox - p[a];
    const sy = oy - p[a + 1];
    const sz = oz - p[a + 2];
    const u = (sx * hx + sy * hy + sz * hz) / determinant;
    if (u < 0 || u > 1) continue;
    const qx = sy * uz - sz * uy;
    const qy = sz * ux - sx * uz;
    const qz = sx * uy - sy * ux;
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (v < 0 || u + v > 1) continue;
    const t = (vx * qx + vy * qy + vz * qz) / determinant;
    if (t >= 0 && t < nearest) nearest = t;
  }
  return nearest;
}

/** A box whose half axes are the columns of a 3x4; they are at right angles. */
export function meetBox(ray: PickRay, X: Float32Array, at: number): number {
  const px = X[at + 3] - ray.ox;
  const py = X[at + 7] - ray.oy;
  const pz = X[at + 11] - ray.oz;
  let enter = 0;
  let leave = Infinity;
  for (let k = 0; k < 3; ++k) {
    const ax = X[at + k];
    const ay = X[at + 4 + k];
    const az = X[at + 8 + k];
    const square = ax * ax + ay * ay + az * az;
    const centre = ax * px + ay * py + az * pz;
    const speed = ax * ray.dx + ay * ray.dy + az * ray.dz;
    if (speed === 0) {
      if (Math.abs(centre) > square) return Infinity;
      continue;
    }
    const t1 = (centre - square) / speed;
    const t2 = (centre + square) / speed;
    enter = Math.max(enter, Math.min(t1, t2));
    leave = Math.min(leave, Math.max(t1, t2));
    if (enter > leave) return Infinity;
  }
  return enter;
}

export function meetBall(ray: PickRay, x: number, y: number, z: number, radius: number): number {
  const px = x - ray.ox;
  const py = y - ray.oy;
  const pz = z - ray.oz;
  const along = px * ray.dx + py * ray.dy + pz * ray.dz;
  const square = radius * radius - (px * px + py * py + pz * pz - along * along);
  if (square < 0) return Infinity;
  const root = Math.sqrt(square);
  if (along - root >= 0) return along - root;
  return along + root >= 0 ? 0 : Infinity;
}
