// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that stand still and come by the thousand: boxes and balls, one call for each kind.
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  FrontSide,
  Group,
  IcosahedronGeometry,
  InstancedMesh,
  Matrix4,
  PlaneGeometry,
  ShaderMaterial,
  Sphere,
  Vector3,
} from 'three';
import type { Material } from 'three';
import type { SolidColours } from './colours';
import type { WorldDocument } from './document';
import { compose, floatsOf, transform, uint32sOf } from './geometry';
import { light } from './scene_ground';
import { toMatrix } from './scene_items';
import type { PickRay } from './scene_pick';
import { meetBall, meetBox } from './scene_pick';

const matrix = new Matrix4();
const colour = new Color();

const lighting = `
  uniform vec3 sky;
  uniform vec3 ground;
  uniform vec3 key;
  uniform vec3 direction;
  vec3 lit(vec3 colour, vec3 n) {
    vec3 c = colour * (mix(ground, sky, 0.5 + 0.5 * n.z) + key * max(dot(n, direction), 0.0));
    vec3 dim = vec3(lessThan(c, vec3(0.0031308)));
    return mix(1.055 * pow(c, vec3(0.41666)) - 0.055, 12.92 * c, dim);
  }`;

// Of each box the three sides that face the camera: the others are never seen. Light is computed
// at vertices, which is exact for flat sides.
const boxVertex = `${lighting}
  varying vec3 vColour;
  varying vec3 vCube;
  void main() {
    mat3 axes = mat3(instanceMatrix);
    vec3 squares = vec3(dot(axes[0], axes[0]), dot(axes[1], axes[1]), dot(axes[2], axes[2]));
    vec3 eye = cameraPosition - instanceMatrix[3].xyz;
    vec3 side = 1.0 - 2.0 * step(eye * axes, vec3(0.0));
    vec3 n = normalize(axes * (side * normal / max(squares, vec3(1e-12))));
    vColour = lit(instanceColor, n);
    vCube = position;
    gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(side * position, 1.0);
  }`;
// Faces of boxes side by side look like one: a thin line along the edges of each tells them apart.
// It fades where boxes are small on the screen.
const boxFragment = `
  varying vec3 vColour;
  varying vec3 vCube;
  void main() {
    vec3 side = abs(vCube);
    float most = max(side.x, max(side.y, side.z));
    float least = min(side.x, min(side.y, side.z));
    float middle = side.x + side.y + side.z - most - least;
    float width = fwidth(middle);
    float edge = smoothstep(1.0 - 1.5 * width, 1.0, middle) * (1.0 - smoothstep(0.1, 0.4, width));
    gl_FragColor = vec4(vColour * (1.0 - 0.2 * edge), 1.0);
  }`;

const ballVertex = `${lighting}
  varying vec3 vColour;
  void main() {
    vColour = lit(instanceColor, normal);
    gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
  }`;
const ballFragment = `
  varying vec3 vColour;
  void main() {
    gl_FragColor = vec4(vColour, 1.0);
  }`;

// Many balls are drawn as one square each, which stands where lines of sight touch the ball: the
// circle in it is the outline. The fragment shader finds the point of the ball behind each pixel.
const discVertex = `
  varying vec3 vTint;
  varying vec2 vDisc;
  varying vec3 vEye;
  varying vec4 vBall;
  void main() {
    vec3 centre = (modelViewMatrix * instanceMatrix[3]).xyz;
    float radius = length(instanceMatrix[0].xyz);
    float away = length(centre);
    float ratio = min(radius / away, 0.999);
    vec3 towards = centre / away;
    vec3 right = normalize(cross(towards, abs(towards.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
    vec3 up = cross(right, towards);
    vec2 reach = radius * sqrt(1.0 - ratio * ratio) * position.xy;
    vEye = centre * (1.0 - ratio * ratio) + reach.x * right + reach.y * up;
    vBall = vec4(centre, radius);
    vDisc = position.xy;
    vTint = instanceColor;
    gl_Position = projectionMatrix * vec4(vEye, 1.0);
  }`;
const discFragment = `${lighting}
  uniform mat4 projectionMatrix;
  varying vec3 vTint;
  varying vec2 vDisc;
  varying vec3 vEye;
  varying vec4 vBall;
  void main() {
    if (dot(vDisc, vDisc) > 1.0) discard;
    vec3 ray = normalize(vEye);
    float along = dot(ray, vBall.xyz);
    float square = along * along - dot(vBall.xyz, vBall.xyz) + vBall.w * vBall.w;
    vec3 hit = ray * (along - sqrt(max(square, 0.0)));
    vec3 n = (hit - vBall.xyz) / vBall.w * mat3(viewMatrix);
    vec4 clip = projectionMatrix * vec4(hit, 1.0);
    gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
    gl_FragColor = vec4(lit(vTint, n), 1.0);
  }`;
const mostRound = 1000;

function materialOf(vertexShader: string, fragmentShader: string): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { ...light },
    // Sides of boxes are mirrored towards the camera, which turns some of them around.
    side: vertexShader === boxVertex ? DoubleSide : FrontSide,
    vertexShader,
    fragmentShader,
  });
}

/** Three sides of the cube [-1, 1]^3. */
function cornerGeometry(): BufferGeometry {
  const positions: number[] = [];
  const normals: number[] = [];
  const indices: number[] = [];
  for (let axis = 0; axis < 3; ++axis) {
    const first = 4 * axis;
    for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
      const at = [1, u, v];
      for (let k = 0; k < 3; ++k) {
        positions.push(at[(k - axis + 3) % 3]);
        normals.push(k === axis ? 1 : 0);
      }
    }
    indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(indices);
  geometry.boundingSphere = new Sphere(new Vector3(), Math.sqrt(3));
  return geometry;
}

export function ballGeometry(count: number): BufferGeometry {
  const geometry = new IcosahedronGeometry(1, count <= mostRound ? 7 : 2);
  geometry.setAttribute('normal', geometry.getAttribute('position'));
  return geometry;
}

const identity = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);

/** Of a ball around a box. */
function radiusOf(X: Float32Array, at: number): number {
  let square = 0;
  for (let row = at; row < at + 12; row += 4) {
    square += X[row] ** 2 + X[row + 1] ** 2 + X[row + 2] ** 2;
  }
  return Math.sqrt(square);
}

export class Objects {
  readonly group = new Group();
  readonly boxPoses: Float32Array;
  readonly boxSolids: Uint32Array;
  readonly balls: Float32Array;
  readonly ballSolids: Uint32Array;
  private readonly meshes: { mesh: InstancedMesh; solids: Uint32Array }[] = [];
  private readonly boxRadii: Float32Array;
  /** Where boxes and balls of solids that were moved stood before. */
  private readonly stood = new Map<number, { boxes: Float32Array; balls: Float32Array }>();

  constructor(world: WorldDocument) {
    this.boxPoses = floatsOf(world.boxes.X);
    this.boxSolids = uint32sOf(world.boxes.solid);
    this.balls = floatsOf(world.balls.p);
    this.ballSolids = uint32sOf(world.balls.solid);
    this.boxRadii = new Float32Array(this.boxSolids.length);
    for (let i = 0; i < this.boxRadii.length; ++i) {
      this.boxRadii[i] = radiusOf(this.boxPoses, 12 * i);
    }
    const boxMaterial = materialOf(boxVertex, boxFragment);
    this.add(cornerGeometry(), boxMaterial, this.boxSolids, (i) => this.boxMatrix(i, matrix));
    const count = this.ballSolids.length;
    const round = count <= mostRound;
    const ball = round ? ballGeometry(count) : new PlaneGeometry(2, 2);
    const ballMaterial = round
      ? materialOf(ballVertex, ballFragment)
      : materialOf(discVertex, discFragment);
    this.add(ball, ballMaterial, this.ballSolids, (i) => this.ballMatrix(i, matrix));
  }

  boxMatrix(i: number, to: Matrix4): Matrix4 {
    return toMatrix(this.boxPoses, 12 * i, to);
  }

  ballMatrix(i: number, to: Matrix4): Matrix4 {
    const [x, y, z, radius] = this.balls.subarray(4 * i, 4 * i + 4);
    return to.makeScale(radius, radius, radius).setPosition(x, y, z);
  }

  /** Boxes and balls of a solid go by a matrix from their place; null: back there. */
  setPlacement(solid: number, X: Float32Array | null): void {
    const all = (solids: Uint32Array) => [...solids.keys()].filter((i) => solids[i] === solid);
    const [boxes, balls] = [all(this.boxSolids), all(this.ballSolids)];
    let stood = this.stood.get(solid);
    if (!stood) {
      const gather = (list: number[], from: Float32Array, wide: number) =>
        new Float32Array(list.flatMap((i) => [...from.subarray(wide * i, wide * i + wide)]));
      stood = { boxes: gather(boxes, this.boxPoses, 12), balls: gather(balls, this.balls, 4) };
      this.stood.set(solid, stood);
    }
    const from = X ?? identity;
    boxes.forEach((i, k) => {
      compose(from, 0, stood.boxes, 12 * k, this.boxPoses, 12 * i);
      this.boxRadii[i] = radiusOf(this.boxPoses, 12 * i);
    });
    const stretch = Math.max(
      ...[0, 1, 2].map((k) => Math.hypot(from[k], from[4 + k], from[8 + k])),
    );
    balls.forEach((i, k) => {
      const [x, y, z, radius] = stood.balls.subarray(4 * k, 4 * k + 4);
      const at = transform(from, 0, x, y, z, new Vector3());
      this.balls.set([at.x, at.y, at.z, stretch * radius], 4 * i);
    });
    for (const { mesh, solids } of this.meshes) {
      const box = solids === this.boxSolids;
      const own = box ? boxes : balls;
      if (own.length === 0) continue;
      for (const i of own) {
        mesh.setMatrixAt(i, box ? this.boxMatrix(i, matrix) : this.ballMatrix(i, matrix));
      }
      mesh.instanceMatrix.needsUpdate = true;
      // The sphere around them all is that of where they stood.
      mesh.frustumCulled = false;
    }
  }

  private add(
    geometry: BufferGeometry,
    material: Material,
    solids: Uint32Array,
    pose: (i: number) => Matrix4,
  ): void {
    if (solids.length === 0) {
      geometry.dispose();
      return;
    }
    const mesh = new InstancedMesh(geometry, material, solids.length);
    for (let i = 0; i < solids.length; ++i) {
      mesh.setMatrixAt(i, pose(i));
      mesh.setColorAt(i, colour);
    }
    mesh.computeBoundingSphere();
    this.meshes.push({ mesh, solids });
    this.group.add(mesh);
  }

  paint(colours: SolidColours, all: boolean): void {
    for (const { mesh, solids } of this.meshes) {
      const to = mesh.instanceColor!.array as Float32Array;
      let any = false;
      for (let i = 0; i < solids.length; ++i) {
        const solid = solids[i];
        if (!(all || colours.changed[solid])) continue;
        any = true;
        to[3 * i] = colours.rgb[3 * solid];
        to[3 * i + 1] = colours.rgb[3 * solid + 1];
        to[3 * i + 2] = colours.rgb[3 * solid + 2];
      }
      if (any) mesh.instanceColor!.needsUpdate = true;
    }
  }

  pick(ray: PickRay): void {
    if (!this.group.visible) return;
    const X = this.boxPoses;
    for (let i = 0; i < this.boxSolids.length; ++i) {
      const at = 12 * i;
      if (!ray.passes(X[at + 3], X[at + 7], X[at + 11], this.boxRadii[i])) continue;
      ray.meet(meetBox(ray, X, at), this.boxSolids[i], -1, 'box');
    }
    const p = this.balls;
    for (let i = 0; i < this.ballSolids.length; ++i) {
      const at = 4 * i;
      if (!ray.passes(p[at], p[at + 1], p[at + 2], p[at + 3])) continue;
      const distance = meetBall(ray, p[at], p[at + 1], p[at + 2], p[at + 3]);
      ray.meet(distance, this.ballSolids[i], -1, 'ball');
    }
  }

  /** Boxes around all of them, one after the other, in the same object. */
  eachBounds(visit: (box: Box3) => void): void {
    const box = new Box3();
    const p = new Vector3();
    for (let i = 0; i < this.boxSolids.length; ++i) {
      const X = this.boxPoses.subarray(12 * i, 12 * i + 12);
      p.set(
        Math.abs(X[0]) + Math.abs(X[1]) + Math.abs(X[2]),
        Math.abs(X[4]) + Math.abs(X[5]) + Math.abs(X[6]),
        Math.abs(X[8]) + Math.abs(X[9]) + Math.abs(X[10]),
      );
      box.min.set(X[3], X[7], X[11]).sub(p);
      box.max.set(X[3], X[7], X[11]).add(p);
      visit(box);
    }
    for (let i = 0; i < this.ballSolids.length; ++i) {
      const [x, y, z, radius] = this.balls.subarray(4 * i, 4 * i + 4);
      box.min.set(x - radius, y - radius, z - radius);
      box.max.set(x + radius, y + radius, z + radius);
      visit(box);
    }
  }

  /** Middles of boxes and their faces, and of balls. */
  *samplesOf(solid: number): Generator<Vector3> {
    for (let i = 0; i < this.boxSolids.length; ++i) {
      if (this.boxSolids[i] !== solid) continue;
      const X = this.boxPoses.subarray(12 * i, 12 * i + 12);
      yield new Vector3(X[3], X[7], X[11]);
      for (let k = 0; k < 3; ++k) {
        for (const side of [-0.98, 0.98]) {
          yield new Vector3(X[3] + side * X[k], X[7] + side * X[4 + k], X[11] + side * X[8 + k]);
        }
      }
    }
    for (let i = 0; i < this.ballSolids.length; ++i) {
      if (this.ballSolids[i] === solid) yield new Vector3().fromArray(this.balls, 4 * i);
    }
  }

  dispose(): void {
    for (const { mesh } of this.meshes) {
      mesh.dispose();
      mesh.geometry.dispose();
      (mesh.material as Material).dispose();
    }
  }
}
