// SPDX-License-Identifier: BSD-3-Clause
//
// What one wants to see of a world: robots where they are now, and what stands around them.
import { Box3, Vector3 } from 'three';
import type { WorldDocument } from './document';
import type { Items } from './scene_items';
import type { Objects } from './scene_objects';
import { PickRay } from './scene_pick';

const point = new Vector3();

/** Rays from a place to robots: as many as take no time to speak of. */
function raysFor(instances: number): number {
  return instances > 20000 ? 6 : 30;
}

export class Framing {
  private readonly ofRobots: number[] = [];
  private readonly ofObjects: number[] = [];

  constructor(
    world: WorldDocument,
    private readonly items: Items,
    private readonly objects: Objects,
  ) {
    world.items.forEach(({ solid, layer }, i) => {
      if (layer === 'hull') return;
      if (world.solids[solid].object) this.ofObjects.push(i);
      else this.ofRobots.push(i);
    });
  }

  private boundsOf(item: number, box: Box3): Box3 {
    box.makeEmpty();
    for (const corner of this.items.cornersOf(item)) box.expandByPoint(corner);
    return box;
  }

  private robots(): Box3 {
    const box = new Box3();
    const one = new Box3();
    for (const item of this.ofRobots) box.union(this.boundsOf(item, one));
    return box;
  }

  /** Points around robots and what stands near them, as far as their own size. Of floors and walls
   * only as much as is close by. */
  points(withObjects: boolean): number[] {
    const points: number[] = [];
    for (const item of this.ofRobots) {
      for (const { x, y, z } of this.items.cornersOf(item)) points.push(x, y, z);
    }
    const robots = this.robots();
    const none = robots.isEmpty();
    const extent = robots.getSize(new Vector3());
    const size = Math.max(extent.x, extent.y, extent.z);
    const near = robots.clone().expandByScalar(0.8 * size);
    const close = robots.clone().expandByScalar(0.2 * size);
    const add = (bounds: Box3) => {
      bounds.getSize(extent);
      if (!none && Math.max(extent.x, extent.y, extent.z) >= size) bounds.intersect(close);
      else if (!none && !near.containsPoint(bounds.getCenter(point))) return;
      if (bounds.isEmpty()) return;
      const { min, max } = bounds;
      for (let k = 0; k < 8; ++k) {
        points.push(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z);
      }
    };
    if (withObjects || none) {
      const one = new Box3();
      for (const item of this.ofObjects) add(this.boundsOf(item, one));
      this.objects.eachBounds(add);
    }
    return points.length > 0 ? points : [-1, -1, -1, 1, 1, 1];
  }

  /** Boxes around those points and around all there is. */
  extents(): { matter: Box3; all: Box3 } {
    const matter = new Box3();
    const points = this.points(true);
    for (let i = 0; i < points.length; i += 3) matter.expandByPoint(point.fromArray(points, i));
    const all = matter.clone();
    const one = new Box3();
    for (const item of this.ofObjects) all.union(this.boundsOf(item, one));
    this.objects.eachBounds((box) => all.union(box));
    return { matter, all };
  }

  /** Where robots stand whose feet are below the origin of the world; zero for all others. */
  lowest(): number {
    const robots = this.robots();
    return !robots.isEmpty() && robots.min.z < -0.02 ? robots.min.z : 0;
  }

  /** How much of the robots is not hidden by objects, from 0 to 1; `focus` counts as much as all of
   * them. */
  seenFrom(eye: Vector3, focus: Vector3 | null): number {
    const rays = raysFor(this.objects.boxSolids.length + this.objects.ballSolids.length);
    const stride = Math.max(1, Math.ceil(this.ofRobots.length / rays));
    let seen = 0;
    let asked = 0;
    for (let k = 0; k < this.ofRobots.length; k += stride) {
      this.boundsOf(this.ofRobots[k], bounds).getCenter(point);
      ++asked;
      if (this.isSeen(eye, point)) ++seen;
    }
    const share = asked === 0 ? 1 : seen / asked;
    if (!focus) return share;
    return (share + (this.isSeen(eye, point.copy(focus)) ? 1 : 0)) / 2;
  }

  /** Whether no object stands before a point, which may be on the surface of one. */
  private isSeen(eye: Vector3, at: Vector3): boolean {
    at.sub(eye);
    const away = at.length();
    at.divideScalar(away);
    const ray = new PickRay(eye.x, eye.y, eye.z, at.x, at.y, at.z);
    this.objects.pick(ray);
    for (const object of this.ofObjects) this.items.pickOne(ray, object);
    return ray.distance > 0.98 * away;
  }
}

const bounds = new Box3();
