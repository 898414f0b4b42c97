// SPDX-License-Identifier: BSD-3-Clause
//
// Colours of the scene and of its legend. Clearance runs from magenta (contact) over orange and
// yellow to a calm blue-grey. Hue and lightness both change on the way, so that those who do not
// tell red from green still read the scale; contact is the one dark, saturated colour in it.
import type { Solid } from './document';

export type Colouring = 'clearance' | 'robot';

interface Stop {
  metres: number;
  colour: string;
}

// What does not touch is never drawn in a colour that could be taken for contact: the first
// millimetre leads from magenta to vermilion.
const lightStops: Stop[] = [
  { metres: 0, colour: '#c4005d' },
  { metres: 0.001, colour: '#e04c1c' },
  { metres: 0.02, colour: '#ee8a22' },
  { metres: 0.05, colour: '#f3bf35' },
  { metres: 0.15, colour: '#a9c9cf' },
  { metres: 0.5, colour: '#86a1c0' },
];
const darkStops: Stop[] = [
  { metres: 0, colour: '#f0147c' },
  { metres: 0.001, colour: '#ea5a2a' },
  { metres: 0.02, colour: '#f3963a' },
  { metres: 0.05, colour: '#f6cb52' },
  { metres: 0.15, colour: '#8fb4bb' },
  { metres: 0.5, colour: '#6f8fb4' },
];

/** What a theme looks like. */
export interface Theme {
  background: string;
  ink: string;
  casing: string;
  gridLine: string;
  axisX: string;
  axisY: string;
  unknown: string;
  object: string;
  selection: string;
  swept: string;
  cell: string;
  sky: string;
  ground: string;
  ambient: number;
  key: number;
}

const light: Theme = {
  background: '#f3f5f7',
  ink: '#101828',
  casing: '#ffffff',
  gridLine: '#64748b',
  axisX: '#b4532a',
  axisY: '#2f6f8f',
  unknown: '#b6b6b3',
  object: '#c9c3b6',
  selection: '#1264e8',
  swept: '#0c8f83',
  cell: '#3f6ea8',
  sky: '#ffffff',
  ground: '#d5d0c8',
  ambient: 1.9,
  key: 1.7,
};
const dark: Theme = {
  background: '#14181e',
  ink: '#f4f7fb',
  casing: '#0b0e12',
  gridLine: '#8fa1b8',
  axisX: '#d5784a',
  axisY: '#58a3c4',
  unknown: '#8a8c8f',
  object: '#86878a',
  selection: '#4da3ff',
  swept: '#2fd0bd',
  cell: '#6fa3dd',
  sky: '#e8f0ff',
  ground: '#6a655e',
  ambient: 1.5,
  key: 1.8,
};

export function themeOf(isDark: boolean): Theme {
  return isDark ? dark : light;
}

/** One hue a robot; they differ in lightness too. */
const robotsLight = ['#4a7fb5', '#d79a3c', '#4f9d86', '#8a72b8', '#b5655a', '#7d8a4a'];
const robotsDark = ['#5f97d0', '#dca750', '#5db59b', '#a18cd1', '#cf8175', '#9aa860'];

export function robotColour(robot: number, isDark: boolean): string {
  if (robot < 0) return themeOf(isDark).object;
  const hues = isDark ? robotsDark : robotsLight;
  return hues[robot % hues.length];
}

type Triple = [number, number, number];

function parse(colour: string): Triple {
  const bits = parseInt(colour.slice(1), 16);
  return [(bits >> 16) / 255, ((bits >> 8) & 255) / 255, (bits & 255) / 255];
}
function toLinear(c: number): number {
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}
function fromLinear(c: number): number {
  const clamped = Math.min(1, Math.max(0, c));
  return clamped <= 0.0031308 ? clamped * 12.92 : 1.055 * clamped ** (1 / 2.4) - 0.055;
}

/** Linear red, green, blue, as shaders compute with. */
export function linearOf(colour: string): Triple {
  return parse(colour).map(toLinear) as Triple;
}

// Oklab (Ottosson 2020): mixing there keeps lightness even, so the scale has no dark bands.
function labOf([r, g, b]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
function rgbOf([L, a, b]: Triple): Triple {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** Between two colours, evenly for the eye. */
export function mix(from: string, to: string, t: number): string {
  const a = labOf(linearOf(from));
  const b = labOf(linearOf(to));
  const rgb = rgbOf([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])]);
  const hex = rgb.map((c) => Math.round(255 * fromLinear(c)).toString(16).padStart(2, '0'));
  return `#${hex.join('')}`;
}

export function legendStops(isDark: boolean): { metres: number; colour: string }[] {
  return (isDark ? darkStops : lightStops).map((stop) => ({ ...stop }));
}

/** Not above zero: contact. Null: not checked. */
export function clearanceColour(metres: number | null, isDark: boolean): string {
  if (metres === null || Number.isNaN(metres)) return themeOf(isDark).unknown;
  const stops = isDark ? darkStops : lightStops;
  if (metres <= 0) return stops[0].colour;
  for (let i = 1; i < stops.length; ++i) {
    const to = stops[i];
    const from = stops[i - 1];
    if (metres > to.metres) continue;
    return mix(from.colour, to.colour, (metres - from.metres) / (to.metres - from.metres));
  }
  return stops[stops.length - 1].colour;
}

// Colours are picked from a table, finer where it is near, so that a solid changes colour only
// when one could see it and few instances are written again.
const steps = 128;
function stepOf(metres: number): number {
  if (metres <= 0) return 0;
  return 1 + Math.round((steps - 1) * Math.sqrt(Math.min(1, metres / 0.5)));
}
function metresOf(step: number): number {
  return step === 0 ? 0 : Math.max(1e-6, 0.5 * ((step - 1) / (steps - 1)) ** 2);
}

/** The colour that each solid has now, linear, three numbers each. */
export class SolidColours {
  readonly rgb: Float32Array;
  /** 1 for those that the last update changed. */
  readonly changed: Uint8Array;
  private readonly keys: Int32Array;
  private readonly table = new Map<number, Triple>();
  private isDark = false;

  constructor(private readonly solids: Solid[]) {
    this.rgb = new Float32Array(3 * solids.length);
    this.changed = new Uint8Array(solids.length);
    this.keys = new Int32Array(solids.length).fill(-1);
  }

  setTheme(isDark: boolean): void {
    this.isDark = isDark;
    this.table.clear();
    this.keys.fill(-1);
  }

  /** Whether anything changed. `clearance` of null or without numbers: colours of robots. */
  update(
    mode: Colouring,
    clearance: ArrayLike<number | null> | null,
    contact: [number, number] | null,
  ): boolean {
    const byClearance = mode === 'clearance' && clearance !== null && clearance.length > 0;
    let any = false;
    for (let i = 0; i < this.solids.length; ++i) {
      let key: number;
      if (contact !== null && (contact[0] === i || contact[1] === i)) {
        key = 0;
      } else if (byClearance) {
        const metres = clearance[i];
        const known = metres !== null && metres !== undefined && !Number.isNaN(metres);
        key = known ? stepOf(metres) + (this.solids[i].object ? 500 : 0) : 1000;
      } else {
        key = 2000 + this.solids[i].robot;
      }
      this.changed[i] = key === this.keys[i] ? 0 : 1;
      if (key === this.keys[i]) continue;
      any = true;
      this.keys[i] = key;
      const colour = this.colourOf(key);
      // Things of one colour beside each other differ by a shade, so that a table is told from the
      // floor and a link from the next.
      const shade = key > 1000 || this.solids[i].object ? 0.92 + 0.04 * ((3 * i) % 5) : 1;
      for (let k = 0; k < 3; ++k) this.rgb[3 * i + k] = shade * colour[k];
    }
    return any;
  }

  private colourOf(key: number): Triple {
    let colour = this.table.get(key);
    if (colour === undefined) {
      colour = linearOf(this.textOf(key));
      this.table.set(key, colour);
    }
    return colour;
  }

  // Objects stand back while they are far away, so that robots are seen before them: they take the
  // colour of the scale as they come near.
  private textOf(key: number): string {
    const theme = themeOf(this.isDark);
    if (key > 1000) return robotColour(key - 2000, this.isDark);
    if (key === 1000) return theme.unknown;
    const metres = metresOf(key % 500);
    const colour = clearanceColour(metres, this.isDark);
    if (key < 500) return colour;
    return mix(colour, theme.object, 0.85 * Math.min(1, Math.max(0, (metres - 0.05) / 0.2)));
  }
}
