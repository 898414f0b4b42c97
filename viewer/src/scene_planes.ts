// SPDX-License-Identifier: BSD-3-Clause
//
// Half-spaces as discs that fade out, and the octree as wire boxes.
import {
  BufferAttribute,
  CircleGeometry,
  Color,
  DoubleSide,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  LineSegments,
  Mesh,
  Quaternion,
  ShaderMaterial,
  Vector3,
} from 'three';
import type { SolidColours, Theme } from './colours';
import type { WorldDocument } from './document';
import { floatsOf } from './geometry';
import type { PickRay } from './scene_pick';

const discVertex = `
  varying vec2 vDisc;
  void main() {
    vDisc = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
const discFragment = `
  uniform vec3 colour;
  uniform float opacity;
  varying vec2 vDisc;
  void main() {
    float fade = 1.0 - smoothstep(0.35, 1.0, length(vDisc));
    // From within the half-space one looks through it.
    gl_FragColor = vec4(colour, (gl_FrontFacing ? opacity : 0.2 * opacity) * fade);
    #include <colorspace_fragment>
  }`;

interface Plane {
  solid: number;
  mesh: Mesh<CircleGeometry, ShaderMaterial>;
  point: Vector3;
  normal: Vector3;
}

export class Planes {
  readonly group = new Group();
  private readonly planes: Plane[];
  private readonly disc = new CircleGeometry(1, 64);
  private radius = 1;

  constructor(world: WorldDocument) {
    this.planes = world.planes.map(({ solid, point, normal }) => {
      const material = new ShaderMaterial({
        uniforms: { colour: { value: new Color() }, opacity: { value: 0.38 } },
        vertexShader: discVertex,
        fragmentShader: discFragment,
        side: DoubleSide,
        transparent: true,
        depthWrite: false,
        polygonOffset: true,
        polygonOffsetFactor: 2,
        polygonOffsetUnits: 2,
      });
      const mesh = new Mesh(this.disc, material);
      mesh.renderOrder = -2;
      this.group.add(mesh);
      return {
        solid,
        mesh,
        point: new Vector3(...point),
        normal: new Vector3(...normal).normalize(),
      };
    });
  }

  /** Discs around the feet of the perpendiculars from `centre`. */
  place(centre: Vector3, radius: number): void {
    this.radius = radius;
    const up = new Vector3(0, 0, 1);
    for (const { mesh, point, normal } of this.planes) {
      const height = normal.dot(centre) - normal.dot(point);
      mesh.position.copy(centre).addScaledVector(normal, -height);
      mesh.quaternion.copy(new Quaternion().setFromUnitVectors(up, normal));
      mesh.scale.setScalar(radius);
    }
  }

  /** Height of the highest floor under `centre`; null: there is none. */
  floor(centre: Vector3): number | null {
    let height: number | null = null;
    for (const { point, normal } of this.planes) {
      if (normal.z < 0.99) continue;
      const slope = normal.x * (centre.x - point.x) + normal.y * (centre.y - point.y);
      const z = point.z - slope / normal.z;
      if (height === null || z > height) height = z;
    }
    return height;
  }

  /** Half in the colour of its solid: a floor fills the picture and would drown all else. */
  paint(colours: SolidColours, theme: Theme): void {
    const neutral = new Color(theme.object);
    for (const { solid, mesh } of this.planes) {
      const colour = mesh.material.uniforms.colour.value as Color;
      colour.fromArray(colours.rgb, 3 * solid).lerp(neutral, 0.5);
    }
  }

  pick(ray: PickRay): void {
    if (!this.group.visible) return;
    for (const { solid, mesh, point, normal } of this.planes) {
      const speed = normal.x * ray.dx + normal.y * ray.dy + normal.z * ray.dz;
      if (speed === 0) continue;
      const start = normal.x * ray.ox + normal.y * ray.oy + normal.z * ray.oz;
      const t = (normal.dot(point) - start) / speed;
      if (t < 0) continue;
      const x = ray.ox + t * ray.dx - mesh.position.x;
      const y = ray.oy + t * ray.dy - mesh.position.y;
      const z = ray.oz + t * ray.dz - mesh.position.z;
      // The rim is too faint to be meant.
      if (Math.hypot(x, y, z) < 0.85 * this.radius) ray.meet(t, solid, -1, 'plane');
    }
  }

  /** Points around the middle of the disc. */
  *samplesOf(solid: number): Generator<Vector3> {
    for (const plane of this.planes) {
      if (plane.solid !== solid) continue;
      for (let k = 0; k < 48; ++k) {
        const reach = 0.1 + (0.7 * k) / 48;
        const at = new Vector3(reach * Math.cos(2.4 * k), reach * Math.sin(2.4 * k), 0);
        plane.mesh.updateMatrixWorld();
        yield at.applyMatrix4(plane.mesh.matrixWorld);
      }
    }
  }

  dispose(): void {
    this.disc.dispose();
    for (const { mesh } of this.planes) mesh.material.dispose();
  }
}

const cellVertex = `
  attribute vec3 lo;
  attribute vec3 hi;
  void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(mix(lo, hi, position), 1.0);
  }`;
const cellFragment = `
  uniform vec3 colour;
  uniform float opacity;
  void main() {
    gl_FragColor = vec4(colour, opacity);
    #include <colorspace_fragment>
  }`;

/** The twelve edges of every cell; made when they are first looked at. */
export class Cells {
  readonly group = new Group();
  private lines: LineSegments<InstancedBufferGeometry, ShaderMaterial> | null = null;
  private readonly colour = new Color();

  constructor(private readonly world: WorldDocument) {}

  show(visible: boolean): void {
    this.group.visible = visible;
    const { count } = this.world.cells;
    if (!visible || this.lines || count === 0) return;
    const corners: number[] = [];
    for (let k = 0; k < 8; ++k) corners.push(k & 1, (k >> 1) & 1, (k >> 2) & 1);
    const edges: number[] = [];
    for (let k = 0; k < 8; ++k) {
      for (const bit of [1, 2, 4]) if (!(k & bit)) edges.push(k, k | bit);
    }
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(corners), 3));
    geometry.setIndex(edges);
    const box = floatsOf(this.world.cells.box);
    const lo = new Float32Array(3 * count);
    const hi = new Float32Array(3 * count);
    for (let i = 0; i < count; ++i) {
      lo.set(box.subarray(6 * i, 6 * i + 3), 3 * i);
      hi.set(box.subarray(6 * i + 3, 6 * i + 6), 3 * i);
    }
    geometry.setAttribute('lo', new InstancedBufferAttribute(lo, 3));
    geometry.setAttribute('hi', new InstancedBufferAttribute(hi, 3));
    geometry.instanceCount = count;
    const material = new ShaderMaterial({
      uniforms: {
        colour: { value: this.colour },
        opacity: { value: count > 5000 ? 0.22 : 0.45 },
      },
      vertexShader: cellVertex,
      fragmentShader: cellFragment,
      transparent: true,
      depthWrite: false,
    });
    this.lines = new LineSegments(geometry, material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 1;
    this.group.add(this.lines);
  }

  setTheme(theme: Theme): void {
    this.colour.set(theme.cell);
  }

  dispose(): void {
    this.lines?.geometry.dispose();
    this.lines?.material.dispose();
  }
}
