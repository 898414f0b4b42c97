// SPDX-License-Identifier: BSD-3-Clause
//
// Triangles and poses as the program sends them, made ready to be drawn and picked.
import { BufferAttribute, BufferGeometry, Sphere, Vector3 } from 'three';
import type { Packed, Shape } from './document';

function bytesOf(packed: Packed): ArrayBuffer {
  const text = atob(packed);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

export function floatsOf(packed: Packed): Float32Array {
  return new Float32Array(bytesOf(packed));
}
export function uint32sOf(packed: Packed): Uint32Array {
  return new Uint32Array(bytesOf(packed));
}
export function uint16sOf(packed: Packed): Uint16Array {
  return new Uint16Array(bytesOf(packed));
}

/** A Shape in metres, with a ball and a box around it. */
export interface Surface {
  positions: Float32Array;
  indices: Uint16Array | Uint32Array;
  centre: [number, number, number];
  radius: number;
  lo: [number, number, number];
  hi: [number, number, number];
}

export function surfaceOf(shape: Shape): Surface {
  const steps = uint16sOf(shape.v);
  const indices = shape.wide ? uint32sOf(shape.i) : uint16sOf(shape.i);
  const positions = new Float32Array(steps.length);
  const lo: [number, number, number] = [Infinity, Infinity, Infinity];
  const hi: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < steps.length; ++i) {
    const axis = i % 3;
    const x = shape.lo[axis] + shape.step * steps[i];
    positions[i] = x;
    if (x < lo[axis]) lo[axis] = x;
    if (x > hi[axis]) hi[axis] = x;
  }
  if (positions.length === 0) {
    return { positions, indices, centre: [0, 0, 0], radius: 0, lo: [0, 0, 0], hi: [0, 0, 0] };
  }
  const centre: [number, number, number] = [
    (lo[0] + hi[0]) / 2,
    (lo[1] + hi[1]) / 2,
    (lo[2] + hi[2]) / 2,
  ];
  let square = 0;
  for (let i = 0; i < positions.length; i += 3) {
    const x = positions[i] - centre[0];
    const y = positions[i + 1] - centre[1];
    const z = positions[i + 2] - centre[2];
    square = Math.max(square, x * x + y * y + z * z);
  }
  return { positions, indices, centre, radius: Math.sqrt(square), lo, hi };
}

/** Normals of triangles, as long as twice their area. */
function faceNormals({ positions: p, indices }: Surface): Float32Array {
  const normals = new Float32Array(indices.length);
  for (let i = 0; i < indices.length; i += 3) {
    const a = 3 * indices[i];
    const b = 3 * indices[i + 1];
    const c = 3 * indices[i + 2];
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    normals[i] = uy * vz - uz * vy;
    normals[i + 1] = uz * vx - ux * vz;
    normals[i + 2] = ux * vy - uy * vx;
  }
  return normals;
}

/** Which corners (places in `indices`) meet at each vertex: `corners` from `first[v]` on. */
function cornersOf({ positions, indices }: Surface): { first: Uint32Array; corners: Uint32Array } {
  const first = new Uint32Array(positions.length / 3 + 1);
  for (let i = 0; i < indices.length; ++i) ++first[indices[i] + 1];
  for (let v = 1; v < first.length; ++v) first[v] += first[v - 1];
  const next = first.slice();
  const corners = new Uint32Array(indices.length);
  for (let i = 0; i < indices.length; ++i) corners[next[indices[i]]++] = i;
  return { first, corners };
}

function geometryOf(
  positions: Float32Array,
  normals: Float32Array,
  indices: Uint16Array | Uint32Array,
  surface: Surface,
): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  geometry.boundingSphere = new Sphere(new Vector3(...surface.centre), surface.radius);
  return geometry;
}

// Faces that meet at less than this look like one bent surface. Balls are drawn with angles of
// at most 25 degrees between neighbours; the flanks of a hull that was not rounded meet at more.
const crease = Math.cos((35 * Math.PI) / 180);
/** Fans of more triangles than this are flat caps: comparing all with all would take too long. */
const longestFan = 300;

/** Round where it is round, with edges where there are edges. A vertex is there once for each
 * normal that it has. */
export function creasedGeometry(surface: Surface): BufferGeometry {
  const { positions, indices } = surface;
  const faces = faceNormals(surface);
  const unit = new Float32Array(faces.length);
  for (let f = 0; f < faces.length; f += 3) {
    const length = Math.hypot(faces[f], faces[f + 1], faces[f + 2]);
    if (length === 0) continue;
    for (let k = 0; k < 3; ++k) unit[f + k] = faces[f + k] / length;
  }
  const { first, corners } = cornersOf(surface);
  const outPositions = new Float32Array(3 * indices.length);
  const outNormals = new Float32Array(3 * indices.length);
  const outIndices = new Uint32Array(indices.length);
  let count = 0;
  for (let v = 0; v + 1 < first.length; ++v) {
    const from = first[v];
    const to = first[v + 1];
    const begin = count;
    for (let i = from; i < to; ++i) {
      const f = corners[i] - (corners[i] % 3);
      let x = faces[f];
      let y = faces[f + 1];
      let z = faces[f + 2];
      for (let j = to - from > longestFan ? to : from; j < to; ++j) {
        const g = corners[j] - (corners[j] % 3);
        if (g === f) continue;
        const cosine = unit[f] * unit[g] + unit[f + 1] * unit[g + 1] + unit[f + 2] * unit[g + 2];
        if (cosine < crease) continue;
        x += faces[g];
        y += faces[g + 1];
        z += faces[g + 2];
      }
      const length = Math.hypot(x, y, z) || 1;
      x /= length;
      y /= length;
      z /= length;
      let at = begin;
      while (at < count) {
        const n = 3 * at;
        if (x * outNormals[n] + y * outNormals[n + 1] + z * outNormals[n + 2] > 0.9999) break;
        ++at;
      }
      if (at === count) {
        const n = 3 * count++;
        for (let k = 0; k < 3; ++k) outPositions[n + k] = positions[3 * v + k];
        outNormals[n] = x;
        outNormals[n + 1] = y;
        outNormals[n + 2] = z;
      }
      outIndices[corners[i]] = at;
    }
  }
  const used = 3 * count;
  return geometryOf(outPositions.slice(0, used), outNormals.slice(0, used), outIndices, surface);
}

/** One normal a vertex, as outlines need it: they must not tear at edges. */
export function smoothGeometry(surface: Surface): BufferGeometry {
  const { positions, indices } = surface;
  const normals = new Float32Array(positions.length);
  addNormals(surface, normals, 0);
  normalise(normals);
  return geometryOf(positions, normals, indices, surface);
}

function addNormals(surface: Surface, to: Float32Array, at: number): void {
  const faces = faceNormals(surface);
  for (let i = 0; i < surface.indices.length; ++i) {
    const f = i - (i % 3);
    const n = at + 3 * surface.indices[i];
    to[n] += faces[f];
    to[n + 1] += faces[f + 1];
    to[n + 2] += faces[f + 2];
  }
}

function normalise(normals: Float32Array): void {
  for (let n = 0; n < normals.length; n += 3) {
    const length = Math.hypot(normals[n], normals[n + 1], normals[n + 2]) || 1;
    for (let k = 0; k < 3; ++k) normals[n + k] /= length;
  }
}

/** `out` = `pose` * p; poses are 3x4 by rows, `at` is where this one begins. */
export function transform(
  pose: ArrayLike<number>,
  at: number,
  x: number,
  y: number,
  z: number,
  out: Vector3,
): Vector3 {
  return out.set(
    pose[at] * x + pose[at + 1] * y + pose[at + 2] * z + pose[at + 3],
    pose[at + 4] * x + pose[at + 5] * y + pose[at + 6] * z + pose[at + 7],
    pose[at + 8] * x + pose[at + 9] * y + pose[at + 10] * z + pose[at + 11],
  );
}

/** `out` = `a` * `b`, 3x4 by rows each. */
export function compose(
  a: ArrayLike<number>,
  atA: number,
  b: ArrayLike<number>,
  atB: number,
  out: Float32Array,
  atOut: number,
): void {
  for (let row = 0; row < 12; row += 4) {
    const x = a[atA + row];
    const y = a[atA + row + 1];
    const z = a[atA + row + 2];
    for (let column = 0; column < 4; ++column) {
      out[atOut + row + column] =
        x * b[atB + column] + y * b[atB + 4 + column] + z * b[atB + 8 + column];
    }
    out[atOut + row + 3] += a[atA + row + 3];
  }
}

/** Surfaces at their poses as one geometry with one normal a vertex. */
export function mergedGeometry(parts: { surface: Surface; X: number[] }[]): BufferGeometry {
  let vertices = 0;
  let corners = 0;
  for (const { surface } of parts) {
    vertices += surface.positions.length;
    corners += surface.indices.length;
  }
  const positions = new Float32Array(vertices);
  const normals = new Float32Array(vertices);
  const indices = new Uint32Array(corners);
  const p = new Vector3();
  let at = 0;
  let corner = 0;
  for (const { surface, X } of parts) {
    const placed = { ...surface, positions: new Float32Array(surface.positions.length) };
    for (let i = 0; i < surface.positions.length; i += 3) {
      const local = surface.positions;
      transform(X, 0, local[i], local[i + 1], local[i + 2], p).toArray(placed.positions, i);
    }
    positions.set(placed.positions, at);
    addNormals(placed, normals, at);
    for (let i = 0; i < surface.indices.length; ++i) {
      indices[corner + i] = at / 3 + surface.indices[i];
    }
    at += placed.positions.length;
    corner += surface.indices.length;
  }
  normalise(normals);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}
