// SPDX-License-Identifier: BSD-3-Clause
//
// Motions: play and scrub them, what was proved of them, and new ones from path files.
import type { App, Shown } from './app';
import { Refusal } from './client';
import type { Motion } from './document';
import {
  button,
  count,
  definitions,
  fileName,
  floats,
  make,
  metres,
  seconds,
  setText,
  trimmed,
  stretch,
} from './dom';
import { lineKey } from './plot';
import { boundMetres, verdictWord } from './readout';
import { Timeline } from './timeline';

interface Loaded {
  motion: Motion;
  timeline: Timeline;
  frames: Float32Array;
  clearance: Float32Array | null;
  /** Of an object that moves: its places, one a sample. */
  places: Float32Array | null;
}

function loaded(app: App, motion: Motion, onTime: (time: number) => void): Loaded {
  const clearance = motion.samples.clearance ? floats(motion.samples.clearance) : null;
  return {
    motion,
    timeline: new Timeline(app, motion, onTime),
    frames: floats(motion.samples.frames),
    clearance: clearance && clearance.length > 0 ? clearance : null,
    places: motion.samples.object ? floats(motion.samples.object) : null,
  };
}

function took(time: number): [string, string] {
  return ['Took', `${trimmed(time, 3)} s`];
}

function moves(name: string): [string, string] {
  return ['Moves', name];
}

export class MotionPanel {
  /** Beside the picture: what was proved. */
  readonly element = make('section', { class: 'panel', 'aria-label': 'Motion' });
  /** Under the picture: the timeline. */
  readonly dock = make('div', { class: 'dock motion-dock', hidden: true });
  /** A motion is there to be seen. */
  onLoaded: () => void = () => {};
  private readonly list: Loaded[] = [];
  private current: Loaded | null = null;
  private time = 0;
  private playing = 0;
  private readonly choice = make('select', { 'aria-label': 'Motion' });
  private readonly play = button('Play', () => this.toggle(), { id: 'play', class: 'play' });
  private readonly speed = make('select', { 'aria-label': 'Speed' });
  private readonly clock = make('output', { class: 'clock' });
  private readonly jumps = make('div', { class: 'jumps' });
  private readonly holder = make('div', { class: 'timeline-holder' });
  private readonly keys = make(
    'p',
    { class: 'plot-keys' },
    lineKey('distance', 'Distance of the nearest pair'),
    lineKey('proved', 'at least'),
  );
  private readonly facts = make('div', { class: 'stack' });
  private readonly fault = make('p', { class: 'fault', role: 'alert', hidden: true });

  constructor(private readonly app: App) {
    for (const factor of [0.1, 0.25, 0.5, 1, 2, 4]) {
      this.speed.append(make('option', { value: factor }, `${factor}\u00d7`));
    }
    this.speed.value = '1';
    this.choice.addEventListener('change', () => {
      this.choose(Number(this.choice.value));
      this.showTime(this.time);
    });
    this.dock.append(
      make('div', { class: 'bar' }, this.choice, this.play, this.speed, this.clock, this.jumps),
      this.holder,
    );
    if (app.document.live) this.element.append(this.loader());
    this.element.append(this.fault, this.facts);
    for (const motion of app.document.motions) this.add(motion);
    if (this.list.length > 0) this.choose(this.worst());
    else {
      const how = app.document.live ? 'Load a path, or drop it on the page.' : 'There is none.';
      this.facts.append(make('p', { class: 'quiet' }, how));
    }
    app.on('theme', () => this.current?.timeline.redraw());
    app.on('layer', (layer) => {
      if (layer === 'swept' && app.shown?.source === 'motion') this.showTime(this.time);
    });
    app.on('claim', (source) => {
      if (source !== 'motion') this.pause();
    });
  }

  get any(): boolean {
    return this.list.length > 0;
  }

  resize(): void {
    if (!this.dock.hidden) this.current?.timeline.resize();
  }

  /** The moment that decides: the first contact, or the nearest one. */
  showCritical(): void {
    const motion = this.current?.motion;
    if (motion) this.jump(motion.first_contact ?? motion.time ?? motion.begin);
  }

  showNearest(): void {
    const motion = this.current?.motion;
    if (motion && motion.time !== null) this.jump(motion.time);
  }

  private jump(time: number): void {
    this.pause();
    this.showTime(time);
  }

  toggle(): void {
    if (!this.current || this.current.motion.samples.time.length === 0) return;
    if (this.playing) {
      this.pause();
      return;
    }
    if (this.time >= this.current.motion.end) this.time = this.current.motion.begin;
    setText(this.play, 'Pause');
    let before = performance.now();
    const frame = (now: number) => {
      const motion = this.current!.motion;
      // A page that nobody saw for a while goes on where it was.
      const step = Math.min(0.5, Math.max(0, now - before) / 1000);
      const next = this.time + step * Number(this.speed.value);
      before = now;
      const over = next >= motion.end;
      this.showTime(over ? motion.end : next);
      if (!this.playing) return;
      if (over) this.pause();
      else this.playing = requestAnimationFrame(frame);
    };
    this.playing = requestAnimationFrame(frame);
  }

  /** A path from the disk, proved by the program. */
  async load(file: File): Promise<void> {
    if (!this.app.connected) {
      this.fault.hidden = false;
      setText(this.fault, `${file.name}: not connected, so nothing can be proved`);
      return;
    }
    this.fault.hidden = true;
    this.facts.setAttribute('aria-busy', 'true');
    const waiting = make('p', { class: 'quiet', role: 'status' }, `Proving ${file.name} \u2026`);
    this.fault.after(waiting);
    try {
      this.add(await this.app.client!.motion(file.name, await file.text()));
      this.choose(this.list.length - 1);
      this.onLoaded();
      this.showTime(this.current!.motion.begin);
    } catch (error) {
      this.fault.hidden = false;
      const lost = `${file.name}: no answer`;
      setText(this.fault, error instanceof Refusal ? error.message : lost);
    } finally {
      waiting.remove();
      this.facts.removeAttribute('aria-busy');
    }
  }

  private pause(): void {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    setText(this.play, 'Play');
  }

  private loader(): HTMLElement {
    const input = make('input', {
      type: 'file',
      id: 'motion-file',
      accept: '.csv,.json,.yaml,.yml,.txt,text/*',
      'data-program': true,
      disabled: true,
    });
    input.addEventListener('change', () => {
      const file = input.files?.[0];
      if (file) void this.load(file);
      input.value = '';
    });
    return make('label', { class: 'loader' }, 'Prove a path file ', input);
  }

  private add(motion: Motion): void {
    const entry = loaded(this.app, motion, (time) => this.jump(time));
    this.list.push(entry);
    this.choice.append(make('option', { value: this.list.length - 1 }, fileName(motion.name)));
  }

  /** The first motion in contact, else the first undecided one, else the first. */
  private worst(): number {
    for (const verdict of ['contact', 'undecided']) {
      const found = this.list.findIndex(({ motion }) => motion.verdict === verdict);
      if (found >= 0) return found;
    }
    return 0;
  }

  private choose(index: number): void {
    this.pause();
    this.current = this.list[index];
    this.choice.value = String(index);
    this.choice.hidden = this.list.length < 2;
    const { motion, timeline } = this.current;
    this.time = motion.begin;
    this.holder.replaceChildren(this.keys, timeline.element, timeline.words);
    this.showFacts(motion);
    timeline.setTime(this.time, seconds(this.time));
    setText(this.clock, `${seconds(this.time)} of ${seconds(motion.end)}`);
    this.resize();
    // It may have been drawn in other colours.
    timeline.redraw();
  }

  private nearestSample(time: number): number {
    const times = this.current!.motion.samples.time;
    let [low, high] = [0, times.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle;
    }
    return time - times[low] <= times[high] - time ? low : high;
  }

  /** Shows the sample next to that time: poses between samples would be made up. */
  private showTime(time: number): void {
    const { motion, timeline, frames, clearance, places } = this.current!;
    this.time = time;
    if (motion.samples.time.length === 0) return;
    const i = this.nearestSample(time);
    const { samples } = motion;
    // Robots stand while an object moves: there is one pose of them.
    const k = places ? 0 : i;
    const [wide, solids] = [this.app.world.frames * 12, this.app.world.solids.length];
    const [distance, bound] = [samples.distance[i], samples.lower_bound[i]];
    const nearest = samples.nearest[i];
    const contact = distance !== null && distance <= 0;
    const at = samples.time[i];
    const part = motion.swept.find(({ from, to }) => from <= at && at <= to);
    const seen = part && part.volumes.length > 0 && this.app.layers.get('swept');
    const swept = seen ? `; swept from ${seconds(part.from)} to ${seconds(part.to)}` : '';
    const shown: Shown = {
      source: 'motion',
      caption: `${fileName(motion.name)} at ${seconds(samples.time[i])}${swept}`,
      q: samples.q[k],
      frames: frames.subarray(k * wide, (k + 1) * wide),
      verdict: contact ? 'contact' : bound === null || bound > 0 ? 'free' : 'undecided',
      kept: samples.kept?.[i] !== 0,
      distance,
      lower_bound: bound,
      depth: null,
      near: nearest ? [nearest] : [],
      clearance: clearance ? clearance.subarray(i * solids, (i + 1) * solids) : null,
      partner: [],
      beyond: this.beyond(samples.q[k]),
    };
    if (motion.object !== undefined && places) {
      // Stretches of time tell what is known.
      const known = motion.intervals.find(
        (each) => each.from <= at && at <= each.to,
      );
      shown.verdict = known ? known.status : 'undecided';
      shown.placed = { solid: motion.object, X: places.subarray(12 * i, 12 * i + 12) };
      shown.pair = known?.pair ?? null;
      if (!known) shown.caption += ': not looked at';
    }
    setText(this.clock, `${seconds(time)} of ${seconds(motion.end)}`);
    const words = places ? verdictWord[shown.verdict] : contact ? 'contact' : metres(distance);
    timeline.setTime(time, `${seconds(time)}, ${words}`);
    this.app.setVolumes('motion', part ? part.volumes : kNothing);
    this.app.show(shown);
  }

  private beyond(q: number[]): number[] {
    const out: number[] = [];
    this.app.world.joints.forEach(({ lower, upper }, i) => {
      if ((lower !== null && q[i] < lower) || (upper !== null && q[i] > upper)) out.push(i);
    });
    return out;
  }

  private showFacts(motion: Motion): void {
    const jump = (words: string, time: number) =>
      button(`${words} ${seconds(time)}`, () => this.jump(time));
    this.jumps.replaceChildren();
    if (motion.first_contact !== null) {
      this.jumps.append(jump('First contact', motion.first_contact));
    }
    if (motion.time !== null) this.jumps.append(jump('Nearest', motion.time));
    const verdict = make(
      'span',
      { id: 'motion-verdict', class: 'verdict big', 'data-verdict': motion.verdict },
      verdictWord[motion.verdict],
    );
    const name = make('h2', { class: 'grow', title: motion.name }, fileName(motion.name));
    const pair = this.app.pairName(motion.pair);
    const contact = make(
      'p',
      { id: 'first-contact', 'data-value': String(motion.first_contact) },
      motion.first_contact === null
        ? 'No contact was found.'
        : `First contact at ${motion.first_contact.toFixed(6)} s: ${pair}`,
    );
    const clearance = make(
      'p',
      { id: 'motion-clearance', 'data-value': String(motion.clearance) },
      motion.clearance !== null && motion.clearance > 0
        ? `Proved: at least ${boundMetres(motion.clearance)} apart all the way.`
        : 'No clearance is proved for all of it.',
    );
    this.facts.replaceChildren(
      make('div', { class: 'bar' }, name, verdict),
      clearance,
      contact,
      make('p', { class: 'contract' }, motion.contract),
      definitions([
        ...(motion.object === undefined ? [] : [moves(this.app.name(motion.object))]),
        ['From, to', `${seconds(motion.begin)} to ${seconds(motion.end)}`],
        ['Nearest moment', `${metres(motion.distance)} at ${seconds(motion.time)}`],
        ['Pair', pair],
        ['Margin', `${trimmed(motion.margin)} m`],
        ['Tolerance', `${trimmed(motion.tolerance, 9)} m`],
        ['Deviation', `${trimmed(motion.deviation)} m`],
        ['Method', motion.method],
        ['Tests', count(motion.tests)],
        [motion.object === undefined ? 'Parts' : 'Balls', count(motion.parts)],
        ['Depth', count(motion.depth)],
        ...(motion.seconds > 0 ? [took(motion.seconds)] : []),
      ]),
      this.intervals(motion),
    );
  }

  private intervals(motion: Motion): HTMLElement {
    const body = make('tbody');
    for (const { from, to, status, pair } of motion.intervals) {
      const go = button(stretch(from, to, status === 'free'), () => this.jump(from), {
        class: 'link',
      });
      const word = make('span', { class: 'verdict', 'data-verdict': status }, verdictWord[status]);
      const names = pair ? this.app.pairName(pair) : '';
      body.append(make('tr', {}, make('td', {}, go), make('td', {}, word), make('td', {}, names)));
    }
    return make('table', { class: 'intervals', 'aria-label': 'Intervals' }, body);
  }
}

const kNothing: Motion['swept'][number]['volumes'] = [];

/** A file that is dropped anywhere on a live page is a path. */
export function acceptDrops(panel: MotionPanel): void {
  const over = (on: boolean) => document.body.classList.toggle('dropping', on);
  window.addEventListener('dragover', (event) => {
    event.preventDefault();
    over(true);
  });
  window.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) over(false);
  });
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    over(false);
    const file = event.dataTransfer?.files[0];
    if (file) void panel.load(file);
  });
}
