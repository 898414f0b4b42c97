// SPDX-License-Identifier: BSD-3-Clause
// The list beside the picture, and how it is turned.

// The list and what it says.
function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
function statistics(bodies) {
  const sum = (pick) => bodies.reduce((total, body) => total + pick(body), 0);
  const hull = sum((b) => b.hull_volume);
  return {points: sum((b) => b.points.length),
          ratio: hull > 0 ? (sum((b) => b.volume) / hull).toFixed(2) : "\u2013",
          excess: bodies.length ? mm(Math.max(...bodies.map((b) => b.excess))) : "\u2013"};
}

const list = byId("links");
const rows = [];
function addRow(name, bodies, colour, index) {
  const row = element("div", "row");
  const {points, ratio, excess} = statistics(bodies);
  row.setAttribute("role", "option");
  row.id = "row" + index;
  const swatch = element("span", "swatch");
  if (colour) swatch.style.background = `rgb(${colour.map((c) => Math.round(255 * c)).join(" ")})`;
  const label = element("span", "name", name);
  label.title = name;
  row.append(swatch, label, element("span", "", points), element("span", "", ratio),
             element("span", "", excess));
  row.addEventListener("click", () => choose(index));
  list.append(row);
  rows.push(row);
}

function describe() {
  const detail = byId("detail");
  detail.replaceChildren();
  if (chosen < 0) return;
  const link = links[chosen];
  detail.append(element("h2", "", link.name));
  if (!link.bodies.length) detail.append(element("p", "", "No body was fitted here."));
  for (const body of link.bodies) {
    const facts = element("dl");
    const fact = (name, value) => facts.append(element("dt", "", name), element("dd", "", value));
    fact("from", body.from);
    fact("points", `${body.points.length}, radius ${mm(body.radius)} mm`);
    fact("volume", `${(1000 * body.volume).toPrecision(4)} l, of its hull ` +
                       `${(1000 * body.hull_volume).toPrecision(4)} l`);
    fact("beyond the hull", `at most ${mm(body.excess)} mm`);
    fact("surface to shape", `at most about ${mm(body.surface_distance)} mm`);
    detail.append(facts);
  }
}

function choose(index) {
  chosen = index;
  for (const [i, row] of rows.entries()) row.setAttribute("aria-selected", String(i - 1 === index));
  list.setAttribute("aria-activedescendant", "row" + index);
  rows[index + 1].scrollIntoView({block: "nearest"});
  history.replaceState(null, "", index < 0 ? "#" : "#" + encodeURIComponent(links[index].name));
  describe();
  frame(false);
}

document.title = `${data.world}: fitted bodies`;
byId("world").textContent = data.world || "Fitted bodies";
const everyBody = links.flatMap((link) => link.bodies);
byId("summary").textContent =
    `${everyBody.length} bodies, ${statistics(everyBody).points} points, around the ` +
    `${data.around === "both" ? "collision and visual" : data.around} shapes`;
byId("shapes-name").textContent = data.thinned ? "shapes (thinned)" : "shapes";
const head = element("div", "row head");
head.append(element("span"), element("span", "", "link"), element("span", "", "points"),
            element("span", "", "vol/hull"), element("span", "", "excess mm"));
list.append(head);
addRow("all links", everyBody, null, -1);
links.forEach((link, index) => addRow(link.name, link.bodies, link.colour, index));
if (data.bare.length) {
  list.append(element("p", "bare", `Links without shapes: ${data.bare.join(", ")}`));
}
list.addEventListener("keydown", (event) => {
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (event.key === "Escape" || event.key === "Home") {
    choose(-1);
  } else if (event.key === "End") {
    choose(links.length - 1);
  } else if (step) {
    choose(Math.min(Math.max(chosen + step, -1), links.length - 1));
  } else {
    return;
  }
  event.preventDefault();
});

for (const box of byId("shown").querySelectorAll("input")) {
  shown[box.name] = box.checked;
  box.addEventListener("change", () => {
    shown[box.name] = box.checked;
    redraw();
  });
}
byId("reset").addEventListener("click", () => frame(true));

// Turning, zooming, shifting.
function turn(yaw, pitch) {
  camera.yaw += yaw;
  camera.pitch = Math.min(Math.max(camera.pitch + pitch, -1.55), 1.55);
  redraw();
}
function zoom(factor) {
  const reach = Math.max(wholeBounds.radius, 1e-4);
  camera.distance = Math.min(Math.max(camera.distance * factor, reach / 500), 50 * reach);
  redraw();
}
function shift(dx, dy) {
  const {right, up} = viewMatrix();
  const metres = 2 * camera.distance * Math.tan(kFieldOfView / 2) / canvas.clientHeight;
  camera.target = camera.target.map((x, k) => x - metres * (dx * right[k] - dy * up[k]));
  redraw();
}
const fingers = new Map();
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, event);
});
canvas.addEventListener("pointermove", (event) => {
  const before = fingers.get(event.pointerId);
  if (!before) return;
  fingers.set(event.pointerId, event);
  const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
  if (fingers.size === 2) {
    const other = [...fingers.values()].find((f) => f.pointerId !== event.pointerId);
    const apart = (f) => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY);
    if (apart(event) > 0) zoom(apart(before) / apart(event));
  } else if (event.shiftKey || event.buttons & 6) {
    shift(dx, dy);
  } else {
    turn(-0.008 * dx, 0.008 * dy);
  }
});
for (const end of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
}
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(Math.max(-0.5, Math.min(0.5, event.deltaY * (event.deltaMode ? 0.05 : 0.0015)))));
}, {passive: false});
canvas.addEventListener("keydown", (event) => {
  const acts = {
    ArrowLeft: () => turn(-0.1, 0), ArrowRight: () => turn(0.1, 0),
    ArrowUp: () => turn(0, 0.1), ArrowDown: () => turn(0, -0.1),
    "+": () => zoom(0.87), "=": () => zoom(0.87), "-": () => zoom(1.15),
    "0": () => frame(true), Escape: () => choose(-1),
  };
  if (!acts[event.key] || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  acts[event.key]();
});
canvas.addEventListener("webglcontextlost", (event) => {
  event.preventDefault();
  programs = null;
});
canvas.addEventListener("webglcontextrestored", () => {
  prepare();
  redraw();
});
new ResizeObserver(redraw).observe(canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

if (gl) {
  prepare();
} else {
  byId("fault").textContent = "This browser gives no WebGL 2, so there is no picture; the list " +
                              "beside it is complete.";
  byId("fault").hidden = false;
}
let wanted = "";
try {
  wanted = decodeURIComponent(location.hash.slice(1));
} catch {
  // Not a name of ours.
}
choose(links.findIndex((link) => link.name === wanted));
