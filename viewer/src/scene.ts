// SPDX-License-Identifier: BSD-3-Clause
//
// The picture of a world: robots at a pose, objects, witnesses, swept volumes. Frames are drawn
// only when something changed, so that a page that stands still costs nothing.
import { Color, NoToneMapping, Scene, Vector3, WebGLRenderer } from 'three';
import type { Colouring } from './colours';
import { SolidColours, themeOf } from './colours';
import type { Layer, Near, Volume, WorldDocument } from './document';
import type { Side } from './scene_camera';
import { View } from './scene_camera';
import { Framing } from './scene_framing';
import { Ground } from './scene_ground';
import { Highlight } from './scene_highlight';
import { Items } from './scene_items';
import { Objects } from './scene_objects';
import type { Picked } from './scene_pick';
import { Cells, Planes } from './scene_planes';
import { Volumes } from './scene_volumes';
import { Witnesses } from './scene_witnesses';

export type { Picked } from './scene_pick';

export type SceneLayer = Layer | 'objects' | 'planes' | 'cells' | 'witnesses' | 'swept' | 'grid';

/** A press that moves by more pixels than this turns the view and picks nothing. */
const clickSlack = 5;

/** So many frames in a row that came so late, in milliseconds, make a slow machine. */
const slowFrames = 4;
const slowFrame = 120;

export class SceneView {
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly overlay = document.createElement('div');
  private readonly notice = document.createElement('div');
  private readonly view: View;
  private readonly colours: SolidColours;
  private readonly items: Items;
  private readonly objects: Objects;
  private readonly planes: Planes;
  private readonly cells: Cells;
  private readonly ground: Ground;
  private readonly witnesses: Witnesses;
  private readonly volumes = new Volumes();
  private readonly highlight: Highlight;
  private readonly framing: Framing;

  private readonly shown: Record<SceneLayer, boolean> = {
    shape: false,
    hull: false,
    body: true,
    objects: true,
    planes: true,
    cells: false,
    witnesses: true,
    swept: true,
    grid: true,
  };
  private dark = false;
  private colouring: Colouring = 'clearance';
  private clearance: ArrayLike<number | null> | null = null;
  private contact: [number, number] | null = null;
  private selected = -1;
  private posed = false;
  private lost = false;
  private request = 0;
  private lastFrame = 0;
  private fps = 0;
  private asked = 0;
  /** The nearest point: what one wants to see. */
  private focus: Vector3 | null = null;
  private slow = 0;
  private rest = 0;
  private readonly press = { x: 0, y: 0, pointer: -1 };
  private readonly listeners = new AbortController();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    world: WorldDocument,
    private readonly onPick: (hit: Picked | null) => void,
  ) {
    const context = canvas.getContext('webgl2', {
      alpha: false,
      antialias: true,
      depth: true,
      stencil: true,
      powerPreference: 'high-performance',
    });
    if (!context) {
      throw new Error(
        'no WebGL: this browser or machine draws no 3D pictures; all numbers are still there',
      );
    }
    this.renderer = new WebGLRenderer({ canvas, context, antialias: true, stencil: true });
    this.renderer.toneMapping = NoToneMapping;
    this.addOverlay();
    this.view = new View(canvas, () => this.invalidate());
    this.colours = new SolidColours(world.solids);
    this.items = new Items(world);
    this.objects = new Objects(world);
    this.planes = new Planes(world);
    this.cells = new Cells(world);
    this.ground = new Ground(this.overlay);
    this.witnesses = new Witnesses(this.overlay);
    this.highlight = new Highlight(this.items, this.objects);
    this.framing = new Framing(world, this.items, this.objects);
    const parts = [this.items, this.objects, this.planes, this.cells, this.ground, this.witnesses];
    for (const { group } of parts) this.scene.add(group);
    this.scene.add(this.ground.lights, this.volumes.group, this.highlight.group);
    this.cells.show(false);
    this.items.setLayers(this.shown, true);
    this.listen();
    this.setTheme(false);
    this.resize();
  }

  private addOverlay(): void {
    const parent = this.canvas.parentElement;
    if (!parent) throw new Error('the canvas must have a parent element');
    if (getComputedStyle(parent).position === 'static') parent.style.position = 'relative';
    Object.assign(this.overlay.style, {
      position: 'absolute',
      inset: '0',
      overflow: 'hidden',
      pointerEvents: 'none',
      userSelect: 'none',
    });
    Object.assign(this.notice.style, {
      position: 'absolute',
      left: '50%',
      top: '50%',
      transform: 'translate(-50%, -50%)',
      padding: '12px 18px',
      maxWidth: '80%',
      borderRadius: '8px',
      font: '14px system-ui, sans-serif',
      background: '#101828',
      color: '#ffffff',
      display: 'none',
    });
    this.notice.setAttribute('role', 'alert');
    this.overlay.append(this.notice);
    this.canvas.after(this.overlay);
  }

  private listen(): void {
    const { signal } = this.listeners;
    const { canvas, press } = this;
    const options = { signal };
    canvas.addEventListener(
      'pointerdown',
      (event) => {
        press.pointer = event.isPrimary && event.button === 0 ? event.pointerId : -1;
        press.x = event.clientX;
        press.y = event.clientY;
      },
      options,
    );
    canvas.addEventListener(
      'pointerup',
      (event) => {
        if (event.pointerId !== press.pointer) return;
        press.pointer = -1;
        if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > clickSlack) return;
        const { left, top } = canvas.getBoundingClientRect();
        this.onPick(this.pickAt(event.clientX - left, event.clientY - top));
      },
      options,
    );
    canvas.addEventListener(
      'webglcontextlost',
      (event) => {
        event.preventDefault();
        this.lost = true;
        this.notice.textContent =
          'The graphics card took its memory back. The picture returns as soon as it can; ' +
          'if it does not, load the page again.';
        this.notice.style.display = '';
      },
      options,
    );
    canvas.addEventListener(
      'webglcontextrestored',
      () => {
        this.lost = false;
        this.notice.style.display = 'none';
        this.invalidate();
      },
      options,
    );
  }

  setPose(
    frames: Float32Array,
    clearance: ArrayLike<number | null> | null,
    contact: [number, number] | null,
  ): void {
    this.items.setPose(frames);
    this.highlight.setPose();
    this.clearance = clearance;
    this.contact = contact;
    this.paint(false);
    if (!this.posed) {
      this.posed = true;
      this.settle();
      this.look('iso');
    }
    this.invalidate();
  }

  /** An object that stands in the world goes by a matrix, 3x4 by rows, from its place; null: back
   * there. One object at a time. */
  setPlacement(solid: number, matrix: Float32Array | null): void {
    this.items.setPlacement(solid, matrix);
    this.objects.setPlacement(solid, matrix);
    this.highlight.setPlacement();
    this.invalidate();
  }

  setWitnesses(near: Near[]): void {
    this.focus = near.length > 0 ? new Vector3(...near[0].points[0]) : null;
    this.witnesses.set(near);
    this.invalidate();
  }

  setLayer(layer: SceneLayer, visible: boolean): void {
    this.shown[layer] = visible;
    this.items.setLayers(this.shown, this.shown.objects);
    this.objects.group.visible = this.shown.objects;
    this.planes.group.visible = this.shown.planes;
    this.witnesses.group.visible = this.shown.witnesses;
    this.volumes.group.visible = this.shown.swept;
    if (layer === 'cells') this.cells.show(visible);
    if (layer === 'grid') this.ground.show(visible);
    this.highlight.select(this.selected);
    this.invalidate();
  }

  setColouring(mode: Colouring): void {
    this.colouring = mode;
    this.paint(false);
    this.invalidate();
  }

  setVolumes(volumes: Volume[]): void {
    this.volumes.set(volumes);
    this.invalidate();
  }

  select(solid: number): void {
    this.selected = solid;
    this.highlight.select(solid);
    this.invalidate();
  }

  setTheme(dark: boolean): void {
    this.dark = dark;
    const theme = themeOf(dark);
    this.scene.background = new Color(theme.background);
    this.colours.setTheme(dark);
    this.ground.setTheme(theme);
    this.cells.setTheme(theme);
    this.volumes.setTheme(theme);
    this.highlight.setTheme(theme);
    this.witnesses.setTheme(dark);
    this.paint(true);
    this.invalidate();
  }

  fitView(): void {
    this.view.frame(this.framing.points(this.shown.objects));
    this.invalidate();
  }

  look(from: Side): void {
    const points = this.framing.points(this.shown.objects);
    const turns = from === 'iso' ? [0, 1, -1, 2] : [0];
    let best = -1;
    let found = 0;
    for (const turn of turns) {
      this.view.frame(points, from, turn);
      if (turns.length === 1) break;
      const seen = this.framing.seenFrom(this.view.camera.position, this.focus);
      // Another side must show clearly more of the robots to be worth it.
      if (seen > best + 0.1) [best, found] = [seen, turn];
      if (best > 0.9) break;
    }
    if (found !== 0) this.view.frame(points, from, found);
    this.invalidate();
  }

  resize(): void {
    const width = Math.max(1, this.canvas.clientWidth);
    const height = Math.max(1, this.canvas.clientHeight);
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.renderer.setPixelRatio(this.isCoarse() ? ratio / 2 : ratio);
    this.renderer.setSize(width, height, false);
    this.view.resize(width, height);
    this.witnesses.viewport.set(width, height);
    this.highlight.viewport.set(width, height);
    // A canvas of a new size is empty: drawn at once, it does not flicker.
    this.draw();
  }

  /** Frames a second while something moves; zero while nothing does. */
  stats(): { fps: number; triangles: number; calls: number } {
    const { triangles, calls } = this.renderer.info.render;
    const idle = performance.now() - this.lastFrame > 1000;
    return { fps: idle ? 0 : this.fps, triangles, calls };
  }

  /** Seconds that a frame takes, drawn to its end, with the camera going around. */
  measure(frames: number): number {
    const gl = this.renderer.getContext();
    const pixel = new Uint8Array(4);
    const began = performance.now();
    for (let i = 0; i < frames; ++i) {
      this.view.controls.rotateLeft((2 * Math.PI) / frames);
      this.draw();
      // What is read must be there: it waits for the picture.
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    }
    return (performance.now() - began) / 1000 / frames;
  }

  picture(): Promise<Blob> {
    this.refine();
    this.draw();
    const { width, height } = this.canvas;
    const copy = document.createElement('canvas');
    copy.width = width;
    copy.height = height;
    const context = copy.getContext('2d');
    if (!context) return Promise.reject(new Error('no memory for a picture'));
    context.drawImage(this.canvas, 0, 0);
    const scale = width / Math.max(1, this.canvas.clientWidth);
    context.scale(scale, scale);
    this.witnesses.paint(context);
    return new Promise((resolve, reject) => {
      copy.toBlob((blob) => {
        if (blob) resolve(blob);
        else reject(new Error('no memory for a picture'));
      }, 'image/png');
    });
  }

  screenPointOf(solid: number): { x: number; y: number } | null {
    this.view.update();
    for (const point of this.samplesOf(solid)) {
      const at = this.view.pixelOf(point);
      if (at && this.pickAt(at.x, at.y)?.solid === solid) return at;
    }
    return null;
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    clearTimeout(this.rest);
    this.listeners.abort();
    this.view.dispose();
    this.items.dispose();
    this.objects.dispose();
    this.planes.dispose();
    this.cells.dispose();
    this.ground.dispose();
    this.witnesses.dispose();
    this.volumes.dispose();
    this.highlight.dispose();
    this.renderer.dispose();
    this.overlay.remove();
  }

  private invalidate(): void {
    if (this.request !== 0) return;
    this.asked = performance.now();
    this.request = requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    this.request = 0;
    const gap = now - this.lastFrame;
    const late = now - this.asked;
    this.lastFrame = now;
    // After a rest there is no rate yet.
    const moving = gap - late <= 500;
    if (!moving) this.fps = 0;
    else if (gap > 0) this.fps = 1000 / (this.fps > 0 ? 800 / this.fps + 0.2 * gap : gap);
    this.view.pace(moving ? gap : 0);
    // A machine that cannot keep up gets coarser pictures while things move, a sharp one after.
    if (!this.isCoarse()) {
      this.slow = late > slowFrame ? this.slow + 1 : 0;
      if (this.isCoarse()) this.resize();
    }
    clearTimeout(this.rest);
    if (this.slow > 0) this.rest = window.setTimeout(() => this.refine(), 1500);
    this.draw();
  }

  private isCoarse(): boolean {
    return this.slow >= slowFrames;
  }

  private refine(): void {
    const coarse = this.isCoarse();
    this.slow = 0;
    if (coarse) this.resize();
  }

  private draw(): void {
    if (this.lost) return;
    this.view.update();
    this.ground.follow(this.view.camera, this.view.controls.target);
    this.witnesses.follow(this.view.camera);
    this.renderer.render(this.scene, this.view.camera);
  }

  private paint(all: boolean): void {
    if (!this.colours.update(this.colouring, this.clearance, this.contact) && !all) return;
    this.items.paint(this.colours, all);
    this.objects.paint(this.colours, all);
    this.planes.paint(this.colours, themeOf(this.dark));
  }

  private pickAt(x: number, y: number): Picked | null {
    const ray = this.view.rayAt(x, y);
    this.items.pick(ray);
    this.objects.pick(ray);
    if (ray.solid < 0) this.planes.pick(ray);
    return ray.picked();
  }

  /** Points of a solid that may be visible. */
  private *samplesOf(solid: number): Generator<Vector3> {
    yield* this.items.samplesOf(solid);
    if (this.objects.group.visible) yield* this.objects.samplesOf(solid);
    if (this.planes.group.visible) yield* this.planes.samplesOf(solid);
  }

  /** Where the floor is, and how far away things may be: once the first pose is known. */
  private settle(): void {
    const { matter, all } = this.framing.extents();
    const centre = matter.getCenter(new Vector3());
    this.view.surround(all);
    this.planes.place(centre, Math.max(1, 1.5 * matter.min.distanceTo(matter.max)));
    this.ground.height = this.planes.floor(centre) ?? this.framing.lowest();
  }
}
