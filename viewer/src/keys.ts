// SPDX-License-Identifier: BSD-3-Clause
//
// Keys for everything, and the dialog that tells them. None of them gets in the way of typing.
import { button, byId, make } from './dom';

export interface Shortcut {
  key: string;
  words: string;
  act: () => void;
}

const kTyping = 'input:not([type=range]):not([type=checkbox]), select, textarea';
/** There the space bar presses what has the focus, or scrolls it. */
const kPressed = 'button, summary, a, input[type=checkbox], [role=tab], .prose';

export function listen(shortcuts: Shortcut[]): void {
  const dialog = help(shortcuts);
  const open = () => dialog.showModal();
  byId('help').addEventListener('click', open);
  const keys = new Map(shortcuts.map(({ key, act }) => [key, act]));
  keys.set('?', open);
  document.addEventListener('keydown', (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (dialog.open || target.closest(kTyping)) return;
    if (event.key === ' ' && target.closest(kPressed)) return;
    const act = keys.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function help(shortcuts: Shortcut[]): HTMLDialogElement {
  const list = make('dl', { class: 'keys' });
  const add = (key: string, words: string) =>
    list.append(make('div', {}, make('dt', {}, make('kbd', {}, key)), make('dd', {}, words)));
  for (const { key, words } of shortcuts) {
    add(key === ' ' ? 'Space' : key === 'Escape' ? 'Esc' : key, words);
  }
  add('\u2190 \u2192', 'on the timeline: one sample; with Shift ten');
  add('\u2190 \u2192', 'on a joint: 1/200 of its range; with Shift 1/2000');
  add('\u2190 \u2192 + \u2212', 'on the picture: turn and zoom; with Shift move');
  add('?', 'this list');
  const dialog = make('dialog', { 'aria-label': 'Keyboard' });
  const close = button('Close', () => dialog.close());
  dialog.append(make('h2', {}, 'Keyboard'), list, close);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return dialog;
}
