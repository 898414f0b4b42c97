// SPDX-License-Identifier: BSD-3-Clause
//
// Clearance over time, what is proved when, and the proof as a strip of parts. One line stands at
// the time that is shown; dragging and the arrow keys move it.
import uPlot from 'uplot';
import type { App } from './app';
import { clearanceColour } from './colours';
import type { Motion, Verdict } from './document';
import { brief, make, setText, styleColour, stretch } from './dom';
import { axes } from './plot';
import { boundMetres, verdictWord } from './readout';

const kRibbon = 18; // pixels: the row of verdicts
const kStrip = 16; // pixels: the row of parts
const kGap = 4;

function hatch(
  context: CanvasRenderingContext2D,
  colour: string,
  verdict: Verdict,
): CanvasPattern | string {
  if (verdict === 'free') return colour;
  const tile = document.createElement('canvas');
  tile.width = tile.height = 8;
  const paint = tile.getContext('2d')!;
  paint.globalAlpha = 0.55;
  paint.fillStyle = colour;
  paint.fillRect(0, 0, 8, 8);
  paint.globalAlpha = 1;
  paint.strokeStyle = colour;
  paint.lineWidth = 2;
  paint.beginPath();
  // Contact leans, undecided stands: they differ in grey too.
  if (verdict === 'contact') {
    for (const x of [-8, 0, 8]) {
      paint.moveTo(x, 8);
      paint.lineTo(x + 8, 0);
    }
  } else {
    paint.moveTo(4, 0);
    paint.lineTo(4, 8);
  }
  paint.stroke();
  return context.createPattern(tile, 'repeat') ?? colour;
}

export class Timeline {
  readonly element = make('div', {
    class: 'timeline',
    tabindex: 0,
    role: 'slider',
    'aria-label': 'Time of the motion',
  });
  private readonly plotted = make('div', { class: 'plotted' });
  private readonly strip = make('canvas', { class: 'strip' });
  private readonly line = make('div', { class: 'playhead' });
  private readonly note = make('p', { class: 'strip-note quiet', 'aria-hidden': 'true' });
  private plot: uPlot | null = null;
  private time: number;

  constructor(
    private readonly app: App,
    private readonly motion: Motion,
    private readonly onTime: (time: number) => void,
  ) {
    this.time = motion.begin;
    this.element.append(this.plotted, this.strip, this.line);
    this.element.setAttribute('aria-valuemin', String(motion.begin));
    this.element.setAttribute('aria-valuemax', String(motion.end));
    this.element.addEventListener('pointerdown', (event) => this.grab(event));
    this.element.addEventListener('pointermove', (event) => this.hover(event));
    this.element.addEventListener('pointerleave', () => this.tell(this.time));
    this.element.addEventListener('keydown', (event) => this.key(event));
  }

  /** The line of words under the strip. */
  get words(): HTMLElement {
    return this.note;
  }

  setTime(time: number, text: string): void {
    this.time = time;
    this.element.setAttribute('aria-valuenow', String(time));
    this.element.setAttribute('aria-valuetext', text);
    this.place();
    this.tell(time);
  }

  /** Fills what the page gives it. */
  resize(): void {
    const width = this.element.clientWidth;
    const height = this.plotted.clientHeight;
    if (width < 60 || height < 40) return;
    if (this.plot) this.plot.setSize({ width, height });
    else this.draw(width, height);
    this.drawStrip();
    this.place();
  }

  redraw(): void {
    this.plot?.redraw(false, true);
    this.drawStrip();
  }

  destroy(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  private draw(width: number, height: number): void {
    const { time, distance, lower_bound } = this.motion.samples;
    const { begin, end, clearance } = this.motion;
    // Of an object no distances along the way are known, but what is proved for all of it.
    const bound = this.moves() ? time.map(() => clearance) : lower_bound;
    const most = this.moves() ? 2 * (this.motion.distance ?? clearance ?? 0.5) : 0;
    const options: uPlot.Options = {
      width,
      height,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      padding: [8, 20, 0, 0],
      scales: {
        x: { time: false, range: () => [begin, end > begin ? end : begin + 1] },
        y: {
          range: (_, low, high) =>
            most > 0 ? [0, most] : [Math.min(0, low ?? 0), Math.max(1e-3, (high ?? 1) * 1.08)],
        },
      },
      axes: axes('s', 'm'),
      series: [
        {},
        { stroke: () => styleColour('--accent'), width: 2, points: { show: false } },
        {
          stroke: () => styleColour('--quiet'),
          width: 1,
          dash: [4, 3],
          points: { show: false },
        },
      ],
      hooks: { drawClear: [(u) => this.drawBands(u)], draw: [(u) => this.drawMarks(u)] },
    };
    this.plot = new uPlot(options, [time, distance, bound], this.plotted);
  }

  private moves(): boolean {
    return this.motion.object !== undefined;
  }

  private drawBands(u: uPlot): void {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.globalAlpha = 0.16;
    for (const { from, to, status } of this.motion.intervals) {
      if (status === 'free') continue;
      const [x0, x1] = [u.valToPos(from, 'x', true), u.valToPos(to, 'x', true)];
      ctx.fillStyle = hatch(ctx, styleColour(`--${status}`), status);
      ctx.fillRect(x0, bbox.top, Math.max(2, x1 - x0), bbox.height);
    }
    ctx.restore();
  }

  private drawMarks(u: uPlot): void {
    const { ctx, bbox } = u;
    const { time, distance, first_contact } = this.motion;
    const dot = devicePixelRatio;
    ctx.save();
    ctx.setLineDash([]);
    if (time !== null && distance !== null) {
      const [x, y] = [u.valToPos(time, 'x', true), u.valToPos(distance, 'y', true)];
      ctx.fillStyle = styleColour('--accent');
      ctx.strokeStyle = styleColour('--panel');
      ctx.lineWidth = 1.5 * dot;
      ctx.beginPath();
      ctx.arc(x, y, 4.5 * dot, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    }
    if (first_contact !== null) {
      const x = u.valToPos(first_contact, 'x', true);
      ctx.strokeStyle = ctx.fillStyle = styleColour('--contact');
      ctx.lineWidth = 2 * dot;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.font = `600 ${11 * dot}px system-ui, sans-serif`;
      const words = 'first contact';
      const left = x + ctx.measureText(words).width + 8 * dot > bbox.left + bbox.width;
      ctx.textAlign = left ? 'right' : 'left';
      ctx.fillText(words, x + (left ? -5 : 5) * dot, bbox.top + 12 * dot);
    }
    ctx.restore();
  }

  private span(): { left: number; width: number } {
    const { left, width } = this.plot!.bbox;
    return { left: left / devicePixelRatio, width: width / devicePixelRatio };
  }

  private across(time: number): number {
    const { left, width } = this.span();
    const { begin, end } = this.motion;
    return left + (end > begin ? (time - begin) / (end - begin) : 0) * width;
  }

  private drawStrip(): void {
    if (!this.plot) return;
    const dot = devicePixelRatio;
    const width = this.element.clientWidth;
    const height = kRibbon + kGap + kStrip;
    this.strip.width = Math.round(width * dot);
    this.strip.height = Math.round(height * dot);
    const ctx = this.strip.getContext('2d')!;
    ctx.scale(dot, dot);
    ctx.textBaseline = 'middle';
    ctx.font = '11px system-ui, sans-serif';
    ctx.fillStyle = styleColour('--quiet');
    ctx.textAlign = 'right';
    const edge = this.span().left - 6;
    const least = this.motion.end > this.motion.begin ? 2 : 10;
    ctx.fillText('verdict', edge, kRibbon / 2 + 0.5);
    ctx.fillText('proof', edge, kRibbon + kGap + kStrip / 2 + 0.5);
    ctx.textAlign = 'left';
    ctx.font = '600 11px system-ui, sans-serif';
    for (const { from, to, status } of this.motion.intervals) {
      const [x0, x1] = [this.across(from), this.across(to)];
      const colour = styleColour(`--${status}`);
      ctx.fillStyle = hatch(ctx, colour, status);
      ctx.fillRect(x0, 0, Math.max(least, x1 - x0), kRibbon);
      const word = verdictWord[status].toLowerCase();
      const room = ctx.measureText(word).width + 8;
      if (room > x1 - x0) continue;
      if (status !== 'free') {
        ctx.fillStyle = colour;
        ctx.fillRect(x0, 0, room, kRibbon);
      }
      ctx.fillStyle = styleColour('--on-verdict');
      ctx.fillText(word, x0 + 4, kRibbon / 2 + 0.5);
    }
    this.drawRest(ctx);
    const { from, to, bound } = this.motion.strip;
    for (let i = 0; i < from.length; ++i) {
      const [x0, x1] = [this.across(from[i]), this.across(to[i])];
      ctx.fillStyle = clearanceColour(bound[i], this.app.dark);
      const gap = x1 - x0 > 3 ? 1 : 0;
      ctx.fillRect(x0, kRibbon + kGap, Math.max(0.5, x1 - x0 - gap), kStrip);
    }
  }

  /** After a contact nobody looks on: that is no verdict, and must not look like one. */
  private drawRest(ctx: CanvasRenderingContext2D): void {
    const { intervals, end } = this.motion;
    const last = intervals[intervals.length - 1];
    if (!last || last.to >= end) return;
    const [x0, x1] = [this.across(last.to) + 3, this.across(end)];
    if (x1 - x0 < 4) return;
    ctx.strokeStyle = styleColour('--edge');
    ctx.setLineDash([3, 3]);
    ctx.strokeRect(x0 + 0.5, 0.5, x1 - x0 - 1, kRibbon - 1);
    ctx.setLineDash([]);
    const word = 'not looked at';
    if (ctx.measureText(word).width + 10 > x1 - x0) return;
    ctx.fillStyle = styleColour('--quiet');
    ctx.fillText(word, x0 + 6, kRibbon / 2 + 0.5);
  }

  private place(): void {
    if (this.plot) this.line.style.transform = `translateX(${this.across(this.time)}px)`;
  }

  private timeAt(event: PointerEvent): number {
    const { left, width } = this.span();
    const part = (event.clientX - this.element.getBoundingClientRect().left - left) / width;
    const { begin, end } = this.motion;
    return begin + Math.min(1, Math.max(0, part)) * (end - begin);
  }

  private grab(event: PointerEvent): void {
    if (!this.plot || event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.onTime(this.timeAt(event));
  }

  private hover(event: PointerEvent): void {
    if (!this.plot) return;
    const time = this.timeAt(event);
    if (this.element.hasPointerCapture(event.pointerId)) this.onTime(time);
    else this.tell(time);
  }

  /** What is proved at a time: the part of the proof that it lies in. */
  private tell(time: number): void {
    const { from, to, bound, steps, method } = this.motion.strip;
    const i = from.findIndex((start, k) => start <= time && time <= to[k]);
    const there = this.motion.intervals.find((part) => part.from <= time && time <= part.to);
    if (this.moves()) {
      const word = there ? verdictWord[there.status] : 'Not looked at';
      const pair = there?.pair ? `: ${this.app.pairName(there.pair)}` : '';
      const object = this.app.name(this.motion.object!);
      const why = `${object} moves: what is proved, without distances along the way`;
      setText(this.note, `${time.toFixed(4)} s: ${word}${pair}. ${why}.`);
      return;
    }
    if (i < 0 || !there || there.status !== 'free') {
      const word = there ? verdictWord[there.status] : 'Not looked at';
      const pair = there?.pair ? `: ${this.app.pairName(there.pair)}` : '';
      setText(this.note, from.length > 0 ? `${time.toFixed(4)} s: ${word}${pair}` : '');
      return;
    }
    const when = stretch(from[i], to[i], true);
    const what = bound[i] > 0 ? `at least ${boundMetres(bound[i])} apart` : 'not shown to be free';
    setText(this.note, `${when}: ${what}, ${brief(steps[i])} steps of proof, ${method[i]}`);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { time } = this.motion.samples;
    const { begin, end } = this.motion;
    if (time.length === 0) return;
    const wide = event.shiftKey || event.key.startsWith('Page') ? 10 : 1;
    const last = time.length - 1;
    const after = time.findIndex((t) => t > this.time);
    const before = time.filter((t) => t < this.time).length - 1;
    const forward = ['ArrowRight', 'ArrowUp', 'PageUp'].includes(event.key);
    const back = ['ArrowLeft', 'ArrowDown', 'PageDown'].includes(event.key);
    if (forward) this.onTime(time[after < 0 ? last : Math.min(last, after + wide - 1)]);
    else if (back) this.onTime(time[Math.max(0, before - wide + 1)]);
    else if (event.key === 'Home') this.onTime(begin);
    else if (event.key === 'End') this.onTime(end);
    else return;
    event.preventDefault();
  }
}
