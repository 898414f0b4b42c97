// SPDX-License-Identifier: BSD-3-Clause
//
// The solid that is selected: tinted where it is seen, with an outline of constant width around it
// that is seen through everything. The tint marks the stencil; the outline is the same surface,
// moved out by some pixels, drawn where there is no mark.
import {
  AlwaysStencilFunc,
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  LessEqualDepth,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  NotEqualStencilFunc,
  ReplaceStencilOp,
  ShaderMaterial,
  Vector2,
} from 'three';
import type { Theme } from './colours';
import { smoothGeometry } from './geometry';
import type { Items } from './scene_items';
import { toMatrix } from './scene_items';
import type { Objects } from './scene_objects';
import { ballGeometry } from './scene_objects';

const outlineVertex = `
  uniform vec2 viewport;
  uniform float width;
  void main() {
    #ifdef USE_INSTANCING
      mat4 model = modelViewMatrix * instanceMatrix;
    #else
      mat4 model = modelViewMatrix;
    #endif
    vec4 at = projectionMatrix * model * vec4(position, 1.0);
    // Out from the corner of a box, however long its sides are.
    vec3 away = normal.x * normalize(model[0].xyz) + normal.y * normalize(model[1].xyz) +
                normal.z * normalize(model[2].xyz);
    vec2 outward = (projectionMatrix * vec4(away, 0.0)).xy * viewport;
    at.xy += 2.0 * width * at.w * normalize(outward + vec2(1e-9)) / viewport;
    gl_Position = at;
  }`;
const outlineFragment = `
  uniform vec3 colour;
  void main() {
    gl_FragColor = vec4(colour, 1.0);
    #include <colorspace_fragment>
  }`;

function cube(): BufferGeometry {
  const geometry = new BufferGeometry();
  const corners: number[] = [];
  for (let k = 0; k < 8; ++k) corners.push(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
  const position = new BufferAttribute(new Float32Array(corners), 3);
  geometry.setAttribute('position', position);
  geometry.setAttribute('normal', position);
  geometry.setIndex([
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
    2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5,
  ]);
  return geometry;
}

export class Highlight {
  readonly group = new Group();
  readonly viewport = new Vector2(1, 1);
  private readonly moving: { mesh: Mesh; item: number }[] = [];
  private readonly instanced: { poses: InstancedBufferAttribute; write: () => void }[] = [];
  private readonly geometries: BufferGeometry[] = [];
  private readonly tint = new MeshBasicMaterial({
    transparent: true,
    opacity: 0.32,
    depthWrite: false,
    depthFunc: LessEqualDepth,
    polygonOffset: true,
    polygonOffsetFactor: -1,
    polygonOffsetUnits: -1,
    stencilWrite: true,
    stencilRef: 1,
    stencilFunc: AlwaysStencilFunc,
    stencilZPass: ReplaceStencilOp,
    stencilZFail: ReplaceStencilOp,
  });
  private readonly outline = new ShaderMaterial({
    uniforms: {
      viewport: { value: this.viewport },
      width: { value: 2.5 },
      colour: { value: new Color() },
    },
    vertexShader: outlineVertex,
    fragmentShader: outlineFragment,
    transparent: true,
    depthTest: false,
    depthWrite: false,
    stencilWrite: true,
    stencilRef: 1,
    stencilFunc: NotEqualStencilFunc,
  });

  constructor(
    private readonly items: Items,
    private readonly objects: Objects,
  ) {}

  /** Of what is visible of it. */
  select(solid: number): void {
    this.clear();
    if (solid < 0) return;
    this.items.items.forEach((item, i) => {
      if (item.solid !== solid || !this.items.isVisible(i)) return;
      const geometry = smoothGeometry(this.items.surfaces[item.shape]);
      this.add(geometry, () => new Mesh(geometry), i);
    });
    if (this.objects.group.visible) {
      const { objects } = this;
      this.addInstances(cube, solid, objects.boxSolids, (i, to) => objects.boxMatrix(i, to));
      this.addInstances(ballGeometry, solid, objects.ballSolids, (i, to) =>
        objects.ballMatrix(i, to),
      );
    }
    this.setPose();
  }

  private add(geometry: BufferGeometry, make: () => Mesh, item: number): void {
    this.geometries.push(geometry);
    for (const material of [this.tint, this.outline]) {
      const mesh = make();
      mesh.material = material;
      mesh.renderOrder = material === this.tint ? 10 : 11;
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      this.group.add(mesh);
      if (item >= 0) this.moving.push({ mesh, item });
    }
  }

  private addInstances(
    shape: (count: number) => BufferGeometry,
    solid: number,
    solids: Uint32Array,
    pose: (i: number, matrix: Matrix4) => Matrix4,
  ): void {
    const own: number[] = [];
    for (let i = 0; i < solids.length; ++i) if (solids[i] === solid) own.push(i);
    if (own.length === 0) return;
    const geometry = shape(own.length);
    const matrix = new Matrix4();
    const poses = new InstancedBufferAttribute(new Float32Array(16 * own.length), 16);
    const write = () => own.forEach((i, at) => pose(i, matrix).toArray(poses.array, 16 * at));
    write();
    this.instanced.push({ poses, write });
    const make = () => {
      const mesh = new InstancedMesh(geometry, undefined, 0);
      mesh.instanceMatrix = poses;
      mesh.count = own.length;
      return mesh;
    };
    this.add(geometry, make, -1);
  }

  setPose(): void {
    for (const { mesh, item } of this.moving) toMatrix(this.items.poses, 12 * item, mesh.matrix);
  }

  /** Objects were moved. */
  setPlacement(): void {
    this.setPose();
    for (const { poses, write } of this.instanced) {
      write();
      poses.needsUpdate = true;
    }
  }

  setTheme(theme: Theme): void {
    this.tint.color.set(theme.selection);
    (this.outline.uniforms.colour.value as Color).set(theme.selection);
  }

  private clear(): void {
    for (const child of this.group.children) if (child instanceof InstancedMesh) child.dispose();
    this.group.clear();
    this.moving.length = 0;
    this.instanced.length = 0;
    for (const geometry of this.geometries) geometry.dispose();
    this.geometries.length = 0;
  }

  dispose(): void {
    this.clear();
    this.tint.dispose();
    this.outline.dispose();
  }
}
