// SPDX-License-Identifier: BSD-3-Clause
//
// Shapes, hulls and bodies: triangles that a frame carries. All things of one layer are drawn by
// one call; their poses and colours lie in textures, so that a new pose writes a few kilobytes.
import {
  BatchedMesh,
  Color,
  DoubleSide,
  FrontSide,
  Group,
  Matrix4,
  MeshPhongMaterial,
  Vector3,
} from 'three';
import type { SolidColours } from './colours';
import type { Item, Layer, WorldDocument } from './document';
import type { Surface } from './geometry';
import { compose, creasedGeometry, surfaceOf, transform } from './geometry';
import type { PickRay } from './scene_pick';
import { meetSurface } from './scene_pick';

/** Things of one layer that are shown and hidden together. */
interface Batch {
  layer: Layer;
  /** Of objects, not of links. */
  object: boolean;
  /** Their solids have shapes too, so that a body can be drawn around them. */
  shaped: boolean;
  items: number[];
  mesh: BatchedMesh;
  material: MeshPhongMaterial;
}

const ghost = 0.34;
const matrix = new Matrix4();
const colour = new Color();
const point = new Vector3();

/** A three.js matrix from 3x4 by rows. */
export function toMatrix(X: ArrayLike<number>, at: number, out: Matrix4): Matrix4 {
  return out.set(
    X[at], X[at + 1], X[at + 2], X[at + 3],
    X[at + 4], X[at + 5], X[at + 6], X[at + 7],
    X[at + 8], X[at + 9], X[at + 10], X[at + 11],
    0, 0, 0, 1,
  );
}

export class Items {
  readonly group = new Group();
  readonly items: Item[];
  readonly surfaces: Surface[];
  /** Where items are in the world: 3x4 by rows, one after the other. */
  readonly poses: Float32Array;
  private readonly local: Float32Array;
  private readonly batches: Batch[] = [];
  private readonly batchOf: Int32Array;
  private readonly instanceOf: Int32Array;
  private placed = false;
  /** The solid that a placement holds; -1: none. */
  private moved = -1;

  constructor(private readonly world: WorldDocument) {
    this.items = world.items;
    this.surfaces = world.shapes.map(surfaceOf);
    this.poses = new Float32Array(12 * this.items.length);
    this.local = new Float32Array(12 * this.items.length);
    this.items.forEach((item, i) => this.local.set(item.X, 12 * i));
    this.poses.set(this.local);
    this.batchOf = new Int32Array(this.items.length).fill(-1);
    this.instanceOf = new Int32Array(this.items.length).fill(-1);
    this.build();
  }

  private build(): void {
    const shaped = new Set<number>();
    for (const item of this.items) if (item.layer === 'shape') shaped.add(item.solid);
    const groups = new Map<string, number[]>();
    this.items.forEach((item, i) => {
      if (this.surfaces[item.shape].indices.length === 0) return;
      const object = this.world.solids[item.solid].object;
      const key = `${item.layer} ${object} ${shaped.has(item.solid)}`;
      const group = groups.get(key);
      if (group) group.push(i);
      else groups.set(key, [i]);
    });
    const geometries = new Map<number, ReturnType<typeof creasedGeometry>>();
    for (const indices of groups.values()) {
      const used = [...new Set(indices.map((i) => this.items[i].shape))];
      let vertices = 0;
      let corners = 0;
      for (const shape of used) {
        const geometry = geometries.get(shape) ?? creasedGeometry(this.surfaces[shape]);
        geometries.set(shape, geometry);
        vertices += geometry.getAttribute('position').count;
        corners += geometry.getIndex()!.count;
      }
      const { layer, solid } = this.items[indices[0]];
      // Meshes of robots are often open or turned inside out: both sides of them are drawn.
      const material = new MeshPhongMaterial({
        side: layer === 'shape' ? DoubleSide : FrontSide,
        shininess: 28,
        specular: 0x262626,
      });
      const mesh = new BatchedMesh(indices.length, vertices, corners, material);
      mesh.frustumCulled = false;
      const ids = new Map(used.map((shape) => [shape, mesh.addGeometry(geometries.get(shape)!)]));
      for (const i of indices) {
        this.batchOf[i] = this.batches.length;
        this.instanceOf[i] = mesh.addInstance(ids.get(this.items[i].shape)!);
        mesh.setMatrixAt(this.instanceOf[i], toMatrix(this.poses, 12 * i, matrix));
      }
      this.batches.push({
        layer,
        object: this.world.solids[solid].object,
        shaped: shaped.has(solid),
        items: indices,
        mesh,
        material,
      });
      this.group.add(mesh);
    }
    for (const geometry of geometries.values()) geometry.dispose();
  }

  setPose(frames: Float32Array): void {
    for (let i = 0; i < this.items.length; ++i) {
      const { frame, solid } = this.items[i];
      if (frame === 0 && (this.placed || solid === this.moved)) continue;
      if (12 * frame + 12 > frames.length) continue;
      compose(frames, 12 * frame, this.local, 12 * i, this.poses, 12 * i);
      this.put(i);
    }
    this.placed = true;
  }

  /** What stands still of a solid goes by a matrix from its place; null: back there. */
  setPlacement(solid: number, X: Float32Array | null): void {
    this.moved = X ? solid : -1;
    for (let i = 0; i < this.items.length; ++i) {
      if (this.items[i].solid !== solid || this.items[i].frame !== 0) continue;
      if (X) compose(X, 0, this.local, 12 * i, this.poses, 12 * i);
      else this.poses.set(this.local.subarray(12 * i, 12 * i + 12), 12 * i);
      this.put(i);
    }
  }

  private put(i: number): void {
    const batch = this.batchOf[i];
    if (batch < 0) return;
    this.batches[batch].mesh.setMatrixAt(this.instanceOf[i], toMatrix(this.poses, 12 * i, matrix));
  }

  /** Writes the colours that changed, or all of them. */
  paint(colours: SolidColours, all: boolean): void {
    for (let i = 0; i < this.items.length; ++i) {
      const { solid } = this.items[i];
      const batch = this.batchOf[i];
      if (batch < 0 || !(all || colours.changed[solid])) continue;
      this.batches[batch].mesh.setColorAt(
        this.instanceOf[i],
        colour.fromArray(colours.rgb, 3 * solid),
      );
    }
  }

  /** An object without shapes keeps its bodies while the shapes of links are looked at. */
  setLayers(shown: Record<Layer, boolean>, objects: boolean): void {
    for (const batch of this.batches) {
      const { layer, object, shaped, mesh, material } = batch;
      mesh.visible =
        object && !objects ? false : shown[layer] || (object && !shaped && layer === 'body');
      const clear = layer === 'hull' || (layer === 'body' && shaped && shown.shape);
      if (material.transparent !== clear) {
        material.transparent = clear;
        material.depthWrite = !clear;
        material.needsUpdate = true;
      }
      material.opacity = clear ? (layer === 'hull' ? ghost * 0.7 : ghost) : 1;
      mesh.sortObjects = clear;
      mesh.renderOrder = clear ? (layer === 'hull' ? 3 : 2) : 0;
    }
  }

  isVisible(i: number): boolean {
    return this.batchOf[i] >= 0 && this.batches[this.batchOf[i]].mesh.visible;
  }

  pick(ray: PickRay): void {
    for (const batch of this.batches) {
      if (!batch.mesh.visible) continue;
      for (const i of batch.items) this.pickOne(ray, i);
    }
  }

  pickOne(ray: PickRay, i: number): void {
    const { shape, solid, body, layer } = this.items[i];
    const surface = this.surfaces[shape];
    const [x, y, z] = surface.centre;
    transform(this.poses, 12 * i, x, y, z, point);
    if (!ray.passes(point.x, point.y, point.z, surface.radius)) return;
    ray.meet(meetSurface(ray, surface, this.poses, 12 * i), solid, body, layer);
  }

  /** Corners of a box around an item where it is now. */
  *cornersOf(i: number): Generator<Vector3> {
    const { lo, hi } = this.surfaces[this.items[i].shape];
    for (let k = 0; k < 8; ++k) {
      const x = k & 1 ? hi[0] : lo[0];
      const y = k & 2 ? hi[1] : lo[1];
      const z = k & 4 ? hi[2] : lo[2];
      yield transform(this.poses, 12 * i, x, y, z, point);
    }
  }

  /** Some points on what is visible of a solid. */
  *samplesOf(solid: number): Generator<Vector3> {
    for (let i = 0; i < this.items.length; ++i) {
      if (this.items[i].solid !== solid || !this.isVisible(i)) continue;
      const { centre, positions: p, indices } = this.surfaces[this.items[i].shape];
      yield transform(this.poses, 12 * i, ...centre, new Vector3());
      const stride = 3 * Math.ceil(indices.length / 3 / 40);
      for (let t = 0; t < indices.length; t += stride) {
        const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
        const mean = (k: number) => (p[a + k] + p[b + k] + p[c + k]) / 3;
        yield transform(this.poses, 12 * i, mean(0), mean(1), mean(2), new Vector3());
      }
    }
  }

  dispose(): void {
    for (const { mesh, material } of this.batches) {
      mesh.dispose();
      material.dispose();
    }
  }
}
