// SPDX-License-Identifier: BSD-3-Clause
//
// Small helpers: elements, numbers as text, what is remembered. Text from the document goes through
// textContent alone.

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | null | ((event: Event) => void)>;

/** make('button', {class: 'x', onclick: f}, 'text'). True: present without a value; false or null:
 * left out. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** An element that page.html has. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

/** Only where it differs: no work for the layout, no noise for screen readers. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function button(text: string, act: () => void, attributes: Attributes = {}) {
  return make('button', { type: 'button', onclick: act, ...attributes }, text);
}

/** A name that may be broken after a stroke: fl_caster_|wheel. */
export function breakable(name: string): Node[] {
  const parts = name.split(/(?<=[_/.-])/);
  return parts.flatMap((part, i) => (i > 0 ? [make('wbr'), part] : [part])).map((part) =>
    typeof part === 'string' ? document.createTextNode(part) : part,
  );
}

const kControls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const kBackward = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;

/** A name in the midst of other words: one that is written from right to left leaves them where
 * they are, and none can turn them around. */
export function isolated(name: string): string {
  const plain = name.replace(kControls, '\ufffd');
  if (plain === '') return '(no name)';
  return kBackward.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** A file without its folders. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** Name and value, as a list of definitions. */
export function definitions(rows: [string, string][]): HTMLDListElement {
  const list = make('dl');
  for (const [name, value] of rows) {
    list.append(make('div', {}, make('dt', {}, name), make('dd', {}, value)));
  }
  return list;
}

/** The same list with other values: nothing moves, nothing selected is lost. */
export function redefine(list: HTMLElement, rows: [string, string][]): void {
  const values = list.querySelectorAll('dd');
  if (values.length !== rows.length) list.replaceChildren(...definitions(rows).children);
  else rows.forEach(([, value], i) => setText(values[i], value));
}

const none = '\u2013';

/** Six decimals, never below the value, as `keepclear distance` prints it. */
export function metres(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return none;
  const near = Number(value.toFixed(6));
  return `${(near < value ? near + 1e-6 : near).toFixed(6)} m`;
}

/** Shorter, for tables. */
export function shortMetres(value: number | null | undefined): string {
  return value === null || value === undefined || Number.isNaN(value) ? none : value.toFixed(4);
}

export function seconds(value: number | null | undefined): string {
  return value === null || value === undefined ? none : `${value.toFixed(3)} s`;
}

/** 1234567 as 1 234 567. */
export function count(value: number | null | undefined): string {
  if (value === null || value === undefined) return none;
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** 12 345 678 as 12.3 M: for axes. */
export function brief(value: number): string {
  const size = Math.abs(value);
  for (const [unit, letter] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (size >= unit) return `${Number((value / unit).toPrecision(3))}${letter}`;
  }
  return String(Number(value.toPrecision(3)));
}

/** At most so many decimals, none that say nothing. */
export function trimmed(value: number, decimals = 6): string {
  const text = String(Number(value.toFixed(decimals)));
  return text === '-0' ? '0' : text;
}

export function clock(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** A colour of page.css, for canvases. */
export function styleColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A file from the disk may have no storage, and a browser may forbid it. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(`keepclear.${key}`);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`keepclear.${key}`, value);
  } catch {
    // It holds until the page is closed.
  }
}

export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The clipboard is there on https, loopback and with a permission; a selection works elsewhere. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement as HTMLElement | null;
    const field = make('textarea', { class: 'unseen', 'aria-hidden': 'true' });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    before?.focus();
    return done;
  }
}

export function floats(packed: string): Float32Array {
  const text = atob(packed);
  const bytes = new Uint8Array(text.length - (text.length % 4));
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  return new Float32Array(bytes.buffer);
}

/** What is free is told of no moment more, what is not of no moment less. */
export function stretch(from: number, to: number, free: boolean): string {
  const down = (time: number) => (Math.floor(time * 1e4) / 1e4).toFixed(4);
  const up = (time: number) => (Math.ceil(time * 1e4) / 1e4).toFixed(4);
  return free ? `${up(from)} to ${down(to)} s` : `${down(from)} to ${up(to)} s`;
}
