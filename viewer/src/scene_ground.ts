// SPDX-License-Identifier: BSD-3-Clause
//
// Light, and a grid on the ground whose cells follow the distance from which one looks.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  LineSegments,
  ShaderMaterial,
  Vector2,
  Vector3,
} from 'three';
import type { PerspectiveCamera } from 'three';
import type { Theme } from './colours';

// Lines at whole numbers of cells from a snapped origin; `kind` is 0 for thin lines, 1 for every
// tenth and 2, 3 for the axes. What is far from the middle fades.
const gridVertex = `
  uniform vec2 centre;
  uniform vec2 origin;
  uniform float cell;
  uniform float radius;
  uniform float thin;
  uniform vec3 line;
  uniform vec3 axisX;
  uniform vec3 axisY;
  varying vec2 vFar;
  varying vec4 vColour;
  void main() {
    float kind = position.z;
    vec2 at = origin + cell * position.xy;
    float reach = kind < 0.5 ? min(radius, 40.0 * cell) : radius;
    vColour = vec4(line, kind < 0.5 ? thin : 0.4);
    if (kind > 1.5) {
      at = kind < 2.5 ? vec2(centre.x + radius * position.x, 0.0)
                      : vec2(0.0, centre.y + radius * position.y);
      vColour = vec4(kind < 2.5 ? axisX : axisY, 0.7);
    }
    vFar = (at - centre) / reach;
    gl_Position = projectionMatrix * viewMatrix * vec4(at, modelMatrix[3].z, 1.0);
    // A hair towards the camera: on floors at the same height it is seen.
    gl_Position.z -= 2e-4 * gl_Position.w;
  }`;
const gridFragment = `
  varying vec2 vFar;
  varying vec4 vColour;
  void main() {
    gl_FragColor = vec4(vColour.rgb, vColour.a * (1.0 - smoothstep(0.3, 1.0, length(vFar))));
    #include <colorspace_fragment>
  }`;

function gridLines(): BufferGeometry {
  const ends: number[] = [];
  const half = 40;
  const pieces = 40;
  // Lines come in pieces: some drivers clip long lines badly when they end behind the camera.
  const add = (x: number, y: number, dx: number, dy: number, kind: number) => {
    for (let i = 0; i < pieces; ++i) {
      for (const t of [i / pieces, (i + 1) / pieces]) ends.push(x + t * dx, y + t * dy, kind);
    }
  };
  for (const [kind, step] of [[0, 1], [1, 10]]) {
    const end = half * step;
    for (let i = -half; i <= half; ++i) {
      if (kind === 0 && i % 10 === 0) continue;
      add(i * step, -end, 0, 2 * end, kind);
      add(-end, i * step, 2 * end, 0, kind);
    }
  }
  add(-1, 0, 2, 0, 2);
  add(0, -1, 0, 2, 3);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(ends), 3));
  return geometry;
}

/** The same light for materials that compute it themselves: already over pi, in world axes. */
export const light = {
  sky: { value: new Color() },
  ground: { value: new Color() },
  key: { value: new Color() },
  direction: { value: new Vector3(0, 0, 1) },
};

function metres(size: number): string {
  if (size >= 1) return `${size} m`;
  return size >= 0.01 ? `${Math.round(size * 100)} cm` : `${Math.round(size * 1000)} mm`;
}

export class Ground {
  readonly group = new Group();
  readonly lights = new Group();
  private readonly grid: LineSegments<BufferGeometry, ShaderMaterial>;
  private readonly sky = new HemisphereLight(0xffffff, 0xffffff, 1);
  private readonly key = new DirectionalLight(0xffffff, 1);
  private readonly caption: HTMLDivElement;
  private text = '';

  constructor(overlay: HTMLElement) {
    const material = new ShaderMaterial({
      uniforms: {
        centre: { value: new Vector2() },
        origin: { value: new Vector2() },
        cell: { value: 0.1 },
        radius: { value: 1 },
        thin: { value: 0.1 },
        line: { value: new Color() },
        axisX: { value: new Color() },
        axisY: { value: new Color() },
      },
      vertexShader: gridVertex,
      fragmentShader: gridFragment,
      transparent: true,
      depthWrite: false,
    });
    this.grid = new LineSegments(gridLines(), material);
    this.grid.frustumCulled = false;
    this.grid.renderOrder = -1;
    this.group.add(this.grid);
    this.sky.position.set(0, 0, 1);
    this.lights.add(this.sky, this.key, this.key.target);
    this.caption = document.createElement('div');
    Object.assign(this.caption.style, {
      position: 'absolute',
      left: '12px',
      bottom: '10px',
      font: '12px system-ui, sans-serif',
      opacity: '0.75',
    });
    overlay.append(this.caption);
  }

  set height(z: number) {
    this.grid.position.z = z;
  }

  /** Before a frame is drawn: the light comes over the left shoulder of the one who looks, the grid
   * lies around what is looked at. */
  follow(camera: PerspectiveCamera, target: Vector3): void {
    const distance = camera.position.distanceTo(target);
    this.key.position.set(-0.5, 0.6, 0.8).applyQuaternion(camera.quaternion);
    this.key.position.z += 0.35;
    light.direction.value.copy(this.key.position).normalize();
    const cell = 10 ** Math.floor(Math.log10(Math.max(distance, 1e-4)) - 1.1);
    const { centre, origin, cell: size, radius, thin } = this.grid.material.uniforms;
    (centre.value as Vector2).set(target.x, target.y);
    (origin.value as Vector2)
      .set(target.x, target.y)
      .divideScalar(10 * cell)
      .round()
      .multiplyScalar(10 * cell);
    size.value = cell;
    radius.value = 4.2 * distance;
    // Thin lines fade as they come close together, before cells grow by ten.
    thin.value = 0.15 * Math.min(1, Math.max(0, 1.9 - distance / (65 * cell)));
    const [small, large] = [cell, 10 * cell].map((side) => metres(Number(side.toPrecision(1))));
    const text = `grid ${small} / ${large}`;
    if (text === this.text) return;
    this.text = text;
    this.caption.textContent = text;
  }

  show(visible: boolean): void {
    this.group.visible = visible;
    this.caption.style.display = visible ? '' : 'none';
  }

  setTheme(theme: Theme): void {
    const { line, axisX, axisY } = this.grid.material.uniforms;
    (line.value as Color).set(theme.gridLine);
    (axisX.value as Color).set(theme.axisX);
    (axisY.value as Color).set(theme.axisY);
    this.sky.color.set(theme.sky);
    this.sky.groundColor.set(theme.ground);
    this.sky.intensity = theme.ambient;
    this.key.intensity = theme.key;
    light.sky.value.set(theme.sky).multiplyScalar(theme.ambient / Math.PI);
    light.ground.value.set(theme.ground).multiplyScalar(theme.ambient / Math.PI);
    light.key.value.setScalar(theme.key / Math.PI);
    this.caption.style.color = theme.ink;
  }

  dispose(): void {
    this.grid.geometry.dispose();
    this.grid.material.dispose();
    this.caption.remove();
  }
}
