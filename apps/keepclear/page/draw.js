// SPDX-License-Identifier: BSD-3-Clause
// Draws shapes and the bodies around them with WebGL 2. Units are metres, z is up.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const mm = (metres) => (1000 * metres).toFixed(metres < 0.01 ? 2 : 1);

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

// Coordinates come as 16-bit steps within the box of the shape; little-endian, as every machine
// with WebGL is.
const shapes = data.shapes.map((shape) => {
  const steps = new Uint16Array(bytesOf(shape.v));
  const vertices = new Float32Array(steps.length);
  for (let i = 0; i < steps.length; ++i) {
    vertices[i] = shape.lo[i % 3] + shape.step[i % 3] * steps[i];
  }
  const buffer = bytesOf(shape.i);
  const indices = shape.wide ? new Uint32Array(buffer) : new Uint16Array(buffer);
  return {vertices, indices: Uint32Array.from(indices)};
});

// Normals weighted by area: the large flat faces keep theirs, the round rims get smooth ones.
function normalsOf({vertices, indices}) {
  const normals = new Float32Array(vertices.length);
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
    const u = [0, 1, 2].map((k) => vertices[b + k] - vertices[a + k]);
    const w = [0, 1, 2].map((k) => vertices[c + k] - vertices[a + k]);
    const n = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
    for (const v of [a, b, c]) for (let k = 0; k < 3; ++k) normals[v + k] += n[k];
  }
  for (let v = 0; v < normals.length; v += 3) {
    const length = Math.hypot(normals[v], normals[v + 1], normals[v + 2]) || 1;
    for (let k = 0; k < 3; ++k) normals[v + k] /= length;
  }
  return normals;
}

// The edges of a hull where it bends; those inside a flat face say nothing.
function edgesOf({vertices, indices}) {
  const faces = new Map();
  const edges = [];
  for (let t = 0; t < indices.length; t += 3) {
    const v = [indices[t], indices[t + 1], indices[t + 2]];
    const p = v.map((i) => vertices.subarray(3 * i, 3 * i + 3));
    const u = [0, 1, 2].map((k) => p[1][k] - p[0][k]);
    const w = [0, 1, 2].map((k) => p[2][k] - p[0][k]);
    let n = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
    const length = Math.hypot(...n) || 1;
    n = n.map((x) => x / length);
    for (let k = 0; k < 3; ++k) {
      const a = Math.min(v[k], v[(k + 1) % 3]), b = Math.max(v[k], v[(k + 1) % 3]);
      const key = a * 4294967296 + b;
      const other = faces.get(key);
      if (!other) {
        faces.set(key, n);
      } else if (n[0] * other[0] + n[1] * other[1] + n[2] * other[2] < 0.998) {
        edges.push(a, b);
      }
    }
  }
  return Uint32Array.from(edges);
}

// Rigid motions: 3 rows of 4 in the data, 16 numbers by columns for WebGL.
const matrixOf = (X) => [X[0], X[4], X[8], 0, X[1], X[5], X[9], 0, X[2], X[6], X[10], 0, X[3], X[7],
                         X[11], 1];
const moved = (m, p) => [0, 1, 2].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] +
                                             m[12 + r]);

// Neighbours in the list get colours that are far apart.
function colourOf(index) {
  const hue = (0.58 + 0.381966 * index) % 1;
  return [0, 1 / 3, 2 / 3].map((shift) => {
    const h = Math.abs(((hue + shift) % 1) * 6 - 3) - 1;
    return 0.28 + 0.62 * Math.min(Math.max(h, 0), 1);
  });
}

class Bounds {
  lo = [Infinity, Infinity, Infinity];
  hi = [-Infinity, -Infinity, -Infinity];
  add(p) {
    for (let k = 0; k < 3; ++k) {
      this.lo[k] = Math.min(this.lo[k], p[k]);
      this.hi[k] = Math.max(this.hi[k], p[k]);
    }
  }
  get centre() { return this.lo.map((x, k) => (x + this.hi[k]) / 2); }
  get radius() { return Math.hypot(...this.lo.map((x, k) => this.hi[k] - x)) / 2; }
}

// What there is to draw, link by link, in the neutral pose.
const links = data.links.map((link, index) => {
  const X = matrixOf(link.X);
  const colour = colourOf(index);
  const bounds = new Bounds();
  const addAll = (m, shape) => {
    const v = shapes[shape].vertices;
    for (let i = 0; i < v.length; i += 3) bounds.add(moved(m, v.subarray(i, i + 3)));
  };
  const items = link.items.map((item) => ({...item, X: matrixOf(item.X)}));
  for (const item of items) addAll(item.X, item.shape);
  const bodies = link.bodies.map((body) => {
    addAll(X, body.shape);
    return {...body, centre: new Bounds()};
  });
  for (const body of bodies) {
    const v = shapes[body.shape].vertices;
    for (let i = 0; i < v.length; i += 3) body.centre.add(moved(X, v.subarray(i, i + 3)));
    body.centre = body.centre.centre;
  }
  return {...link, X, colour, bounds, items, bodies};
});
const wholeBounds = new Bounds();
for (const link of links) {
  if (link.bounds.radius >= 0) wholeBounds.add(link.bounds.lo), wholeBounds.add(link.bounds.hi);
}

const shown = {meshes: true, hulls: false, bodies: true, points: false};
let chosen = -1;  // a link, or all of them
const kYaw = -0.9, kPitch = 0.35, kFieldOfView = 0.6;  // radians
const camera = {yaw: kYaw, pitch: kPitch, distance: 1, target: [0, 0, 0]};
const canvas = byId("view");
const gl = canvas.getContext("webgl2", {antialias: true, alpha: false});

function program(vertex, fragment) {
  const result = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, "#version 300 es\nprecision highp float;\n" + text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw gl.getShaderInfoLog(shader);
    gl.attachShader(result, shader);
  }
  gl.bindAttribLocation(result, 0, "place");
  gl.bindAttribLocation(result, 1, "normal");
  gl.linkProgram(result);
  const uniforms = {};
  for (const name of ["model", "view", "lens", "colour", "size"]) {
    uniforms[name] = gl.getUniformLocation(result, name);
  }
  return {result, uniforms};
}

const kPlaced = `
in vec3 place;
in vec3 normal;
uniform mat4 model, view, lens;
uniform float size;
out vec3 p, n;
void main() {
  vec4 q = view * model * vec4(place, 1.0);
  p = q.xyz;
  n = mat3(view) * mat3(model) * normal;
  gl_Position = lens * q;
  gl_PointSize = size;
}`;
// Meshes may be inside out: their normals come from the picture and face the viewer.
const kSolid = `
in vec3 p, n;
uniform vec4 colour;
out vec4 result;
void main() {
  vec3 facing = normalize(cross(dFdx(p), dFdy(p)));
  float light = 0.42 + 0.58 * max(dot(facing, normalize(vec3(-0.35, 0.55, 0.9))), 0.0);
  result = vec4(colour.rgb * light, 1.0);
}`;
// Denser towards the rim, as glass is.
const kGlass = `
in vec3 p, n;
uniform vec4 colour;
out vec4 result;
void main() {
  vec3 facing = normalize(n);
  float across = abs(dot(facing, normalize(p)));
  float light = 0.7 + 0.3 * max(dot(facing, normalize(vec3(-0.35, 0.55, 0.9))), 0.0);
  float alpha = colour.a * mix(1.0, 0.35, across);
  result = vec4(colour.rgb * light * alpha, alpha);
}`;
const kPlain = `
in vec3 p, n;
uniform vec4 colour;
out vec4 result;
void main() { result = vec4(colour.rgb * colour.a, colour.a); }`;
const kDot = `
in vec3 p, n;
uniform vec4 colour;
out vec4 result;
void main() {
  float r = 2.0 * length(gl_PointCoord - 0.5);
  float alpha = 1.0 - smoothstep(0.8, 1.0, r);
  vec3 c = r > 0.62 ? vec3(1.0) : colour.rgb;
  result = vec4(c * alpha, alpha);
}`;

let programs = null;
function buffered(array, target = gl.ARRAY_BUFFER) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, array, gl.STATIC_DRAW);
  return buffer;
}
function uploaded({vertices, normals, indices}) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  buffered(vertices);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  if (normals) {
    buffered(normals);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 0, 0);
  }
  if (indices) buffered(indices, gl.ELEMENT_ARRAY_BUFFER);
  return {array, count: indices ? indices.length : vertices.length / 3};
}

function prepare() {
  programs = {solid: program(kPlaced, kSolid), glass: program(kPlaced, kGlass),
              plain: program(kPlaced, kPlain), dot: program(kPlaced, kDot)};
  const solids = new Map(), lines = new Map();
  const once = (map, shape, make) => {
    if (!map.has(shape)) map.set(shape, uploaded(make(shapes[shape])));
    return map.get(shape);
  };
  for (const link of links) {
    for (const item of link.items) {
      item.drawn = item.kind === "hull"
          ? once(lines, item.shape, (s) => ({vertices: s.vertices, indices: edgesOf(s)}))
          : once(solids, item.shape, (s) => s);
    }
    for (const body of link.bodies) {
      const shape = shapes[body.shape];
      body.drawn = uploaded({...shape, normals: normalsOf(shape)});
      body.dots = uploaded({vertices: Float32Array.from(body.points.flat())});
    }
  }
}

function viewMatrix() {
  const {yaw, pitch, distance, target} = camera;
  const back = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
  const right = [-Math.sin(yaw), Math.cos(yaw), 0];
  const up = [back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2],
              back[0] * right[1] - back[1] * right[0]];
  const along = (axis) => -axis.reduce((sum, x, k) => sum + x * target[k], 0);
  return {right, up, matrix: [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2],
                              up[2], back[2], 0, along(right), along(up), along(back) - distance,
                              1], back};
}
function lensMatrix(aspect, near, far) {
  const f = 1 / Math.tan(kFieldOfView / 2);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0,
          2 * far * near / (near - far), 0];
}

function cssColour(name) {
  const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
}

function draw() {
  const scale = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * scale));
  const height = Math.max(1, Math.round(canvas.clientHeight * scale));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  gl.viewport(0, 0, width, height);
  gl.clearColor(...cssColour("--back"), 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  const {matrix, back} = viewMatrix();
  const reach = Math.max(wholeBounds.radius, 1e-6);
  const far = camera.distance + 4 * reach + Math.hypot(...camera.target.map(
      (x, k) => x - wholeBounds.centre[k]));
  const lens = lensMatrix(width / height, Math.max(camera.distance / 50, far / 20000), far);
  const use = ({result, uniforms}, size = 1) => {
    gl.useProgram(result);
    gl.uniformMatrix4fv(uniforms.view, false, matrix);
    gl.uniformMatrix4fv(uniforms.lens, false, lens);
    gl.uniform1f(uniforms.size, size);
    return (drawn, X, colour, mode) => {
      gl.uniformMatrix4fv(uniforms.model, false, X);
      gl.uniform4fv(uniforms.colour, colour);
      gl.bindVertexArray(drawn.array);
      if (mode === gl.POINTS) {
        gl.drawArrays(mode, 0, drawn.count);
      } else {
        gl.drawElements(mode, drawn.count, gl.UNSIGNED_INT, 0);
      }
    };
  };
  const visible = chosen < 0 ? links : [links[chosen]];

  gl.enable(gl.DEPTH_TEST);
  gl.depthMask(true);
  gl.disable(gl.BLEND);
  gl.disable(gl.CULL_FACE);
  // A face of a shape and that of its body may be in one plane: the body is seen.
  gl.enable(gl.POLYGON_OFFSET_FILL);
  gl.polygonOffset(1, 4);
  if (shown.meshes) {
    const put = use(programs.solid), colour = [...cssColour("--solid"), 1];
    for (const link of visible) {
      for (const item of link.items) {
        if (item.kind !== "hull") put(item.drawn, item.X, colour, gl.TRIANGLES);
      }
    }
  }
  gl.disable(gl.POLYGON_OFFSET_FILL);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.depthMask(false);
  if (shown.hulls) {
    const put = use(programs.plain), colour = [...cssColour("--hull"), 0.8];
    for (const link of visible) {
      for (const item of link.items) {
        if (item.kind === "hull") put(item.drawn, item.X, colour, gl.LINES);
      }
    }
  }
  if (shown.bodies) {
    const put = use(programs.glass);
    const depth = ({body}) => body.centre.reduce((sum, x, k) => sum + x * back[k], 0);
    const order = visible.flatMap((link) => link.bodies.map((body) => ({link, body})));
    order.sort((a, b) => depth(a) - depth(b));
    gl.enable(gl.CULL_FACE);
    for (const {link, body} of order) {
      gl.cullFace(gl.FRONT);
      put(body.drawn, link.X, [...link.colour, 0.4], gl.TRIANGLES);
      gl.cullFace(gl.BACK);
      put(body.drawn, link.X, [...link.colour, 0.75], gl.TRIANGLES);
    }
    gl.disable(gl.CULL_FACE);
  }
  if (shown.points) {
    gl.disable(gl.DEPTH_TEST);
    const put = use(programs.dot, 9 * scale), colour = [...cssColour("--dot"), 1];
    for (const link of visible) {
      for (const body of link.bodies) put(body.dots, link.X, colour, gl.POINTS);
    }
  }
}

let waiting = false;
function redraw() {
  if (waiting || !programs) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

// As near as the corners of the boxes allow.
function frame(turn) {
  const boxes = (chosen < 0 ? links : [links[chosen]]).map((link) => link.bounds)
      .filter((bounds) => bounds.radius >= 0);
  if (!boxes.length) return;
  if (turn) camera.yaw = kYaw, camera.pitch = kPitch;
  const {right, up, back} = viewMatrix();
  const high = Math.tan(kFieldOfView / 2);
  const wide = high * canvas.clientWidth / Math.max(canvas.clientHeight, 1);
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  camera.target = (chosen < 0 ? wholeBounds : boxes[0]).centre;
  camera.distance = 1e-4;
  for (const {lo, hi} of boxes) {
    for (let corner = 0; corner < 8; ++corner) {
      const p = [0, 1, 2].map((k) => (corner >> k & 1 ? hi[k] : lo[k]) - camera.target[k]);
      camera.distance = Math.max(
          camera.distance, dot(p, back) + 1.12 * Math.max(Math.abs(dot(p, right)) / wide,
                                                          Math.abs(dot(p, up)) / high));
    }
  }
  redraw();
}
