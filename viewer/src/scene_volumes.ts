// SPDX-License-Identifier: BSD-3-Clause
//
// Swept volumes: one translucent geometry, replaced as a whole. The rim of each volume is denser
// than its middle, so that its form is seen though nothing hides behind it.
import { Color, FrontSide, Group, Mesh, ShaderMaterial } from 'three';
import type { BufferGeometry } from 'three';
import type { Theme } from './colours';
import type { Volume } from './document';
import { mergedGeometry, surfaceOf } from './geometry';

const vertexShader = `
  varying vec3 vNormal;
  varying vec3 vEye;
  void main() {
    vec4 eye = modelViewMatrix * vec4(position, 1.0);
    vNormal = normalMatrix * normal;
    vEye = -eye.xyz;
    gl_Position = projectionMatrix * eye;
  }`;
const fragmentShader = `
  uniform vec3 colour;
  uniform float strength;
  varying vec3 vNormal;
  varying vec3 vEye;
  void main() {
    float facing = abs(dot(normalize(vNormal), normalize(vEye)));
    float rim = (1.0 - facing) * (1.0 - facing);
    gl_FragColor = vec4(colour, strength * (0.14 + 0.5 * rim));
    #include <colorspace_fragment>
  }`;

export class Volumes {
  readonly group = new Group();
  private mesh: Mesh<BufferGeometry, ShaderMaterial> | null = null;
  private shown: Volume[] = [];
  private readonly material = new ShaderMaterial({
    uniforms: { colour: { value: new Color() }, strength: { value: 1 } },
    vertexShader,
    fragmentShader,
    side: FrontSide,
    transparent: true,
    depthWrite: false,
    // What does not move lies in its own volume: the body wins there.
    polygonOffset: true,
    polygonOffsetFactor: 2,
    polygonOffsetUnits: 4,
  });

  set(volumes: Volume[]): void {
    if (volumes === this.shown) return;
    this.shown = volumes;
    this.clear();
    if (volumes.length === 0) return;
    const parts = volumes.map(({ shape, X }) => ({ surface: surfaceOf(shape), X }));
    this.mesh = new Mesh(mergedGeometry(parts), this.material);
    this.mesh.renderOrder = 5;
    this.group.add(this.mesh);
    // Many volumes lie over each other: each one is fainter then.
    this.material.uniforms.strength.value = Math.max(0.45, 1.1 - 0.1 * Math.log2(volumes.length));
  }

  setTheme(theme: Theme): void {
    (this.material.uniforms.colour.value as Color).set(theme.swept);
  }

  private clear(): void {
    if (!this.mesh) return;
    this.group.remove(this.mesh);
    this.mesh.geometry.dispose();
    this.mesh = null;
  }

  dispose(): void {
    this.clear();
    this.material.dispose();
  }
}
