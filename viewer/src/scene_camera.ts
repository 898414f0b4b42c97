// SPDX-License-Identifier: BSD-3-Clause
//
// From where one looks: mouse, touch and keys move the camera around what is looked at. Z is up.
import { Box3, PerspectiveCamera, Raycaster, Vector2, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { PickRay } from './scene_pick';

export type Side = 'front' | 'left' | 'top' | 'iso';

// Robots face along x. From the top, x points to the right.
const sides: Record<Side, [number, number, number]> = {
  front: [1, 0, 0.0001],
  left: [0, 1, 0.0001],
  top: [0, -0.0001, 1],
  iso: [1, -0.85, 0.62],
};

/** Coordinates of points in the axes of the view: right, up, towards the camera. */
function seenFrom(points: number[], axes: Vector3[]): Float64Array {
  const seen = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    axes.forEach((axis, k) => {
      seen[i + k] = axis.x * points[i] + axis.y * points[i + 1] + axis.z * points[i + 2];
    });
  }
  return seen;
}

/** How far along the third axis the camera must be for all points to be between two sides that
 * open by `tangent` from it. */
function reachOf(seen: Float64Array, axis: number, tangent: number): number {
  let high = -Infinity;
  let low = Infinity;
  for (let i = 0; i < seen.length; i += 3) {
    high = Math.max(high, seen[i + axis] + tangent * seen[i + 2]);
    low = Math.min(low, seen[i + axis] - tangent * seen[i + 2]);
  }
  return (high - low) / (2 * tangent);
}

/** Where along an axis the camera must be at that reach for as much room on either side. */
function middleOf(seen: Float64Array, axis: number, reach: number): number {
  let middle = 0;
  for (let round = 0; round < 8; ++round) {
    let high = -Infinity;
    let low = Infinity;
    let depth = 0;
    for (let i = 0; i < seen.length; i += 3) {
      const away = Math.max(1e-3, reach - seen[i + 2]);
      const slope = (seen[i + axis] - middle) / away;
      high = Math.max(high, slope);
      low = Math.min(low, slope);
      depth += (3 * away) / seen.length;
    }
    middle += ((high + low) / 2) * depth;
  }
  return middle;
}

export class View {
  readonly camera = new PerspectiveCamera(36, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private readonly raycaster = new Raycaster();
  private readonly pixel = new Vector2();
  private readonly onKey = (event: KeyboardEvent) => this.press(event);
  /** What there is to see; near and far planes go around it. */
  private readonly centre = new Vector3();
  private radius = 1;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    onChange: () => void,
  ) {
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(...sides.iso).multiplyScalar(2);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    this.controls.zoomToCursor = true;
    this.controls.minDistance = 0.01;
    this.controls.addEventListener('change', onChange);
    if (!canvas.hasAttribute('tabindex')) canvas.tabIndex = 0;
    canvas.addEventListener('keydown', this.onKey);
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { controls } = this;
    const turn = 0.06;
    const move = 24;
    switch (event.key) {
      case 'ArrowLeft':
        if (event.shiftKey) controls.pan(move, 0);
        else controls.rotateLeft(turn);
        break;
      case 'ArrowRight':
        if (event.shiftKey) controls.pan(-move, 0);
        else controls.rotateLeft(-turn);
        break;
      case 'ArrowUp':
        if (event.shiftKey) controls.pan(0, move);
        else controls.rotateUp(turn);
        break;
      case 'ArrowDown':
        if (event.shiftKey) controls.pan(0, -move);
        else controls.rotateUp(-turn);
        break;
      case '+':
      case '=':
        this.zoom(1 / 1.1);
        break;
      case '-':
      case '_':
        this.zoom(1.1);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private zoom(factor: number): void {
    const { target } = this.controls;
    this.camera.position.sub(target).multiplyScalar(factor).add(target);
    this.controls.update();
  }

  /** All there is; it may be far larger than what is looked at. */
  surround(box: Box3): void {
    box.getCenter(this.centre);
    this.radius = Math.max(1e-3, box.min.distanceTo(box.max) / 2);
    this.controls.maxDistance = 40 * this.radius;
  }

  /** As near as all points (three numbers each) are seen from this side, or the one it has; turned
   * by so many quarters around the vertical. */
  frame(points: number[], side?: Side, quarters = 0): void {
    const { controls, camera } = this;
    const { target } = controls;
    // Ends what is left of a turn or a throw before, so that it does not go on afterwards.
    controls.enableDamping = false;
    controls.update();
    controls.enableDamping = true;
    const towards = side ? new Vector3(...sides[side]) : camera.position.clone().sub(target);
    towards.normalize().applyAxisAngle(camera.up, (quarters * Math.PI) / 2);
    const right = new Vector3().crossVectors(camera.up, towards).normalize();
    const up = new Vector3().crossVectors(towards, right);
    const tangentY = Math.tan((camera.fov * Math.PI) / 360);
    const seen = seenFrom(points, [right, up, towards]);
    let front = -Infinity;
    let back = Infinity;
    for (let i = 2; i < seen.length; i += 3) {
      front = Math.max(front, seen[i]);
      back = Math.min(back, seen[i]);
    }
    const depth = (front + back) / 2;
    const least = Math.max(
      reachOf(seen, 0, tangentY * camera.aspect),
      reachOf(seen, 1, tangentY),
      front + 0.01,
    );
    const reach = depth + Math.max(0.02, 1.1 * (least - depth));
    target.set(0, 0, 0);
    target.addScaledVector(right, middleOf(seen, 0, reach));
    target.addScaledVector(up, middleOf(seen, 1, reach));
    target.addScaledVector(towards, depth);
    const distance = reach - depth;
    camera.position.copy(target).addScaledVector(towards, distance);
    controls.update();
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  /** Motion dies out within the same time at any frame rate. */
  pace(milliseconds: number): void {
    this.controls.dampingFactor = 1 - 0.86 ** Math.min(12, Math.max(1, milliseconds / 16.7));
  }

  /** Before a frame is drawn. While it still moves by itself it asks for the next one. */
  update(): void {
    this.controls.update();
    const away = this.camera.position.distanceTo(this.centre);
    const distance = this.camera.position.distanceTo(this.controls.target);
    const far = away + 3 * this.radius + 5 * distance;
    const free = Math.min(away - 1.5 * this.radius, 0.2 * distance);
    const near = Math.max(0.02 * distance, free, 1e-4);
    if (near !== this.camera.near || far !== this.camera.far) {
      this.camera.near = near;
      this.camera.far = far;
      this.camera.updateProjectionMatrix();
    }
    this.camera.updateMatrixWorld();
  }

  /** Through a place on the canvas, in CSS pixels. */
  rayAt(x: number, y: number): PickRay {
    const { clientWidth, clientHeight } = this.canvas;
    this.pixel.set((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight);
    this.raycaster.setFromCamera(this.pixel, this.camera);
    const { origin, direction } = this.raycaster.ray;
    return new PickRay(origin.x, origin.y, origin.z, direction.x, direction.y, direction.z);
  }

  /** Where on the canvas a point is; null: behind the camera or beside the picture. */
  pixelOf(point: Vector3): { x: number; y: number } | null {
    const at = point.clone().project(this.camera);
    if (at.z >= 1 || Math.abs(at.x) > 0.98 || Math.abs(at.y) > 0.98) return null;
    const { clientWidth, clientHeight } = this.canvas;
    return { x: (0.5 + 0.5 * at.x) * clientWidth, y: (0.5 - 0.5 * at.y) * clientHeight };
  }

  dispose(): void {
    this.canvas.removeEventListener('keydown', this.onKey);
    this.controls.dispose();
  }
}
