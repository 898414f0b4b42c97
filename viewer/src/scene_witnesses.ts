// SPDX-License-Identifier: BSD-3-Clause
//
// Nearest points of pairs: a line between two discs, as wide at any distance, seen through
// everything. The first pair is the nearest and stands out; a few have their distance beside them.
import {
  BufferAttribute,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  ShaderMaterial,
  Vector2,
  Vector3,
} from 'three';
import type { PerspectiveCamera } from 'three';
import { clearanceColour, themeOf } from './colours';
import type { Near } from './document';

// Each witness is a strip in pixels around the segment from a to b, wide enough for the discs; the
// fragment shader finds out how far it is from line and ends.
const vertexShader = `
  uniform vec2 viewport;
  attribute vec3 a;
  attribute vec3 b;
  attribute vec2 size;
  attribute vec4 tint;
  varying vec2 vAt;
  varying float vLength;
  varying vec2 vSize;
  varying vec4 vTint;
  vec4 before(vec4 end, vec4 other) {
    if (end.z > -end.w) return end;
    float near = (other.z + other.w) / (other.z + other.w - end.z - end.w);
    return mix(other, end, near * 0.999);
  }
  void main() {
    vec4 clipA = projectionMatrix * modelViewMatrix * vec4(a, 1.0);
    vec4 clipB = projectionMatrix * modelViewMatrix * vec4(b, 1.0);
    vec4 endA = before(clipA, clipB);
    vec4 endB = before(clipB, clipA);
    vec2 pixelA = 0.5 * viewport * endA.xy / endA.w;
    vec2 pixelB = 0.5 * viewport * endB.xy / endB.w;
    vLength = distance(pixelA, pixelB);
    vec2 along = vLength > 0.01 ? (pixelB - pixelA) / vLength : vec2(1.0, 0.0);
    float reach = size.y + 2.0;
    vAt = vec2(position.x < 0.5 ? -reach : vLength + reach, reach * (2.0 * position.y - 1.0));
    vec2 pixel = pixelA + along * vAt.x + vec2(-along.y, along.x) * vAt.y;
    vSize = size;
    vTint = tint;
    gl_Position = vec4(2.0 * pixel / viewport, 0.0, 1.0);
    if (clipA.w <= 0.0 && clipB.w <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  }`;
const fragmentShader = `
  uniform vec3 casing;
  varying vec2 vAt;
  varying float vLength;
  varying vec2 vSize;
  varying vec4 vTint;
  void main() {
    float end = min(length(vAt), length(vAt - vec2(vLength, 0.0))) - vSize.y;
    float line = vAt.x < 0.0 || vAt.x > vLength ? 1e3 : abs(vAt.y) - vSize.x;
    float away = min(end, line);
    float outer = 1.0 - smoothstep(0.9, 1.9, away);
    float inner = 1.0 - smoothstep(-0.5, 0.5, away);
    if (outer <= 0.0) discard;
    gl_FragColor = vec4(mix(casing, vTint.rgb, inner), outer * vTint.a);
    #include <colorspace_fragment>
  }`;

const labelled = 4;

/** Metres as engineers say them; bounds are shown elsewhere, so this may be rounded. */
export function distanceText(metres: number): string {
  if (metres <= 0) return 'contact';
  if (metres >= 1) return `${metres.toFixed(2)} m`;
  const mm = 1000 * metres;
  return `${mm >= 100 ? mm.toFixed(0) : mm >= 10 ? mm.toFixed(1) : mm.toFixed(2)} mm`;
}

interface Label {
  element: HTMLDivElement;
  at: Vector3;
  shown: boolean;
  x: number;
  y: number;
  width: number;
  text: string;
  colour: string;
  background: string;
}

export class Witnesses {
  readonly group = new Group();
  readonly viewport = new Vector2(1, 1);
  private readonly geometry = new InstancedBufferGeometry();
  private readonly material = new ShaderMaterial({
    uniforms: { viewport: { value: this.viewport }, casing: { value: new Color() } },
    vertexShader,
    fragmentShader,
    transparent: true,
    depthTest: false,
    depthWrite: false,
  });
  private readonly labels: Label[] = [];
  private near: Near[] = [];
  private capacity = 0;
  private dark = false;

  constructor(overlay: HTMLElement) {
    const corners = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
    this.geometry.setAttribute('position', new BufferAttribute(corners, 3));
    this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.geometry.instanceCount = 0;
    const mesh = new Mesh(this.geometry, this.material);
    mesh.frustumCulled = false;
    mesh.renderOrder = 20;
    this.group.add(mesh);
    for (let i = 0; i < labelled; ++i) {
      const element = document.createElement('div');
      Object.assign(element.style, {
        position: 'absolute',
        left: '0',
        top: '0',
        padding: '0 6px',
        borderRadius: '9px',
        font: `${i === 0 ? '600 13px' : '11px'} system-ui, sans-serif`,
        fontVariantNumeric: 'tabular-nums',
        whiteSpace: 'nowrap',
        display: 'none',
      });
      overlay.append(element);
      this.labels.push({
        element,
        at: new Vector3(),
        shown: false,
        x: 0,
        y: 0,
        width: 0,
        text: '',
        colour: '',
        background: '',
      });
    }
  }

  set(near: Near[]): void {
    this.near = near;
    this.reserve(near.length);
    this.geometry.instanceCount = near.length;
    const a = this.geometry.getAttribute('a');
    const b = this.geometry.getAttribute('b');
    const size = this.geometry.getAttribute('size');
    const tint = this.geometry.getAttribute('tint');
    const colour = new Color();
    // The first one is drawn last: it lies over the others.
    near.forEach((pair, i) => {
      const at = near.length - 1 - i;
      const [p, q] = pair.points;
      const touching = pair.distance <= 0;
      a.setXYZ(at, ...p);
      b.setXYZ(at, ...q);
      size.setXY(at, i === 0 ? 1.5 : 0.75, i === 0 ? (touching ? 6 : 4.5) : 2.5);
      colour.set(themeOf(this.dark).ink);
      tint.setXYZW(at, colour.r, colour.g, colour.b, i === 0 ? 1 : 0.7);
    });
    for (const attribute of [a, b, size, tint]) attribute.needsUpdate = true;
    this.labels.forEach((label, i) => this.write(label, near[i], i === 0));
  }

  private write(label: Label, pair: Near | undefined, first: boolean): void {
    label.shown = pair !== undefined;
    if (!pair) return;
    const [p, q] = pair.points;
    label.at.set((p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2);
    const theme = themeOf(this.dark);
    const touching = pair.distance <= 0;
    label.text = distanceText(pair.distance);
    label.background = touching ? clearanceColour(0, this.dark) : first ? theme.ink : theme.casing;
    const onContact = this.dark ? theme.casing : '#ffffff';
    label.colour = touching ? onContact : first ? theme.casing : theme.ink;
    const { element } = label;
    element.textContent = label.text;
    element.style.color = label.colour;
    element.style.background = label.background;
    element.style.border = `1px solid ${theme.casing}`;
    element.style.opacity = first ? '1' : '0.85';
    label.width = (first ? 7.6 : 6.4) * label.text.length + 12;
  }

  private reserve(count: number): void {
    if (count <= this.capacity && this.capacity > 0) return;
    this.capacity = Math.max(16, 2 * count);
    for (const [name, parts] of [['a', 3], ['b', 3], ['size', 2], ['tint', 4]] as const) {
      const values = new Float32Array(parts * this.capacity);
      const attribute = new InstancedBufferAttribute(values, parts);
      attribute.setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
  }

  /** Labels go where the camera sees them; those that would lie over another one are left out. */
  follow(camera: PerspectiveCamera): void {
    this.labels.forEach((label, i) => {
      const visible = label.shown && this.group.visible && this.place(label, i, camera);
      label.element.style.display = visible ? '' : 'none';
      if (!visible) return;
      label.element.style.transform = `translate(${label.x.toFixed(1)}px,${label.y.toFixed(1)}px)`;
    });
  }

  private place(label: Label, i: number, camera: PerspectiveCamera): boolean {
    const { x, y, z } = projected.copy(label.at).project(camera);
    if (z >= 1 || Math.abs(x) >= 1 || Math.abs(y) >= 1) return false;
    label.x = (0.5 + 0.5 * x) * this.viewport.x + 12;
    label.y = (0.5 - 0.5 * y) * this.viewport.y - 26;
    for (let k = 0; k < i; ++k) {
      const other = this.labels[k];
      if (other.element.style.display !== '' || Math.abs(other.y - label.y) >= 20) continue;
      if (label.x < other.x + other.width && other.x < label.x + label.width) return false;
    }
    return true;
  }

  /** The labels again, for a picture. */
  paint(context: CanvasRenderingContext2D): void {
    context.textBaseline = 'middle';
    this.labels.forEach((label, i) => {
      if (label.element.style.display !== '') return;
      context.font = `${i === 0 ? '600 13px' : '11px'} system-ui, sans-serif`;
      const width = context.measureText(label.text).width + 12;
      context.fillStyle = label.background;
      context.beginPath();
      context.roundRect(label.x, label.y, width, 18, 9);
      context.fill();
      context.strokeStyle = themeOf(this.dark).casing;
      context.stroke();
      context.fillStyle = label.colour;
      context.fillText(label.text, label.x + 6, label.y + 9.5);
    });
  }

  setTheme(dark: boolean): void {
    this.dark = dark;
    (this.material.uniforms.casing.value as Color).set(themeOf(dark).casing);
    this.set(this.near);
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
    for (const { element } of this.labels) element.remove();
  }
}

const projected = new Vector3();
