// SPDX-License-Identifier: BSD-3-Clause
//
// The document as text: what a safety engineer files. A report has it as HTML already, for those
// who run no scripts; it moves into the panel.
import type { App } from './app';
import { byId, count, definitions, make } from './dom';

export function textPanel(app: App): HTMLElement {
  const panel = make('section', { class: 'panel prose', tabindex: 0, 'aria-label': 'Text' });
  const still = byId('text');
  if (still.childElementCount > 0) {
    panel.append(still);
    return panel;
  }
  still.remove();
  for (const { title, rows, text } of app.document.sections) {
    panel.append(make('h2', {}, title));
    if (rows.length > 0) panel.append(definitions(rows));
    for (const paragraph of text) panel.append(make('p', {}, paragraph));
  }
  if (app.document.sections.length === 0) panel.append(...worldText(app));
  return panel;
}

/** What can be said without sections. */
function worldText(app: App): Node[] {
  const { world } = app;
  return [
    make('h2', {}, 'World'),
    definitions([
      ['Name', world.name],
      ['File', world.file],
      ['Hash', world.hash],
      ['Keepclear', world.keepclear],
      ['Joints', count(world.joints.length)],
      ['Links and objects', count(world.solids.length)],
      ['Bodies', count(world.bodies.length)],
      ['Checked pairs', count(world.pairs)],
      ['Margin', `${world.margin} m`],
    ]),
    ...world.notes.map((note) => make('p', {}, note)),
  ];
}
