// SPDX-License-Identifier: BSD-3-Clause
//
// A guard at work, or a run of it that was recorded: lamp, reason, the pair that decides, plots.
// The lamp says "no word" as soon as the guard is silent: an old "go" is none.
import { type App, shownAnswer } from './app';
import { Latest, fetchDocument } from './client';
import type {
  GuardEvent,
  GuardPose,
  GuardRows,
  GuardRun,
  PageDocument,
  SweepAnswer,
} from './document';
import {
  button,
  byId,
  count,
  definitions,
  fileName,
  make,
  redefine,
  seconds,
  setText,
  trimmed,
} from './dom';
import { GuardPlots, Histogram, boundOf } from './guard_plots';
import { boundMetres } from './readout';

const kSilent = 0.5; // seconds until the lamp says so
const kKeep = 60; // seconds of a live run
const kRows = 20_000;
const kBraking = 150; // ms between questions for the braking volume

type Lamp = 'go' | 'brake' | 'silent';
const kLamp: Record<Lamp, string> = { go: 'Go', brake: 'Brake', silent: 'No word' };

export class GuardPanel {
  readonly element = make('section', { class: 'panel', 'aria-label': 'Guard' });
  readonly dock = make('div', { class: 'dock guard-dock', hidden: true });
  private readonly lamp = make('div', { id: 'lamp', class: 'lamp', role: 'status' });
  private readonly chip = byId('guard-lamp');
  private readonly caption = byId('shown');
  private readonly why = make('p', { id: 'guard-reason' });
  private readonly facts = make('dl');
  private readonly times = make('div');
  private readonly plots: GuardPlots;
  private readonly histogram = new Histogram();
  private readonly scrubber = make('input', {
    type: 'range',
    min: 0,
    step: 1,
    'aria-label': 'Cycle',
  });
  private readonly follow = button('Follow the guard', () => this.setFollowing(true));
  private readonly brakings: Latest<null, SweepAnswer>;
  private following = true;
  private row = 0;
  private silent: number | null = null;
  private told = performance.now();
  private asked = 0;
  private stale = false;
  private learning = false;
  private pose: GuardPose | null = null;

  constructor(
    private readonly app: App,
    private readonly run: GuardRun,
  ) {
    this.plots = new GuardPlots(run, (row) => this.scrubTo(row));
    this.brakings = new Latest<null, SweepAnswer>(
      async () => {
        const early = this.asked + kBraking - performance.now();
        if (early > 0) await new Promise((done) => setTimeout(done, early));
        this.asked = performance.now();
        return app.client!.braking();
      },
      (answer) => app.setVolumes('guard', answer.volumes),
      () => app.setVolumes('guard', kNothing),
    );
    this.row = Math.max(0, run.rows.time.length - 1);
    this.chip.hidden = false;
    this.chip.setAttribute('aria-label', 'Guard');
    this.lay();
    app.on('shown', (shown) => {
      if (shown.source === 'guard') return;
      this.setFollowing(false);
      document.body.classList.remove('stale');
    });
    app.on('theme', () => {
      this.plots.redraw();
      this.histogram.redraw();
    });
    app.on('layer', (layer) => {
      if (layer === 'swept') this.askBraking();
    });
    app.on('connection', () => this.showState());
    if (run.live) {
      this.silent = run.rows.time.length > 0 ? 0 : null;
      setInterval(() => this.tick(), 100);
    }
    this.showState();
  }

  resize(): void {
    if (!this.dock.hidden) this.plots.resize();
    this.histogram.resize();
  }

  /** At the start: the last state of a live run; of a recording the first brake, else the first
   * row. */
  begin(): void {
    if (this.run.live) {
      this.pose = this.run.poses[this.run.poses.length - 1] ?? null;
      this.setFollowing(true);
    } else this.scrubTo(Math.max(0, this.firstBrake()));
  }

  take(event: GuardEvent): void {
    const { run } = this;
    this.silent = event.silent;
    this.told = performance.now();
    [run.cycles, run.brakes, run.overruns] = [event.cycles, event.brakes, event.overruns];
    run.histogram = event.histogram;
    this.append(event.rows);
    if (run.work_bound === 0 && run.rows.time.length > 0) this.learn();
    if (event.pose) {
      this.pose = { row: run.rows.time.length - 1, pose: event.pose, volumes: [] };
      if (this.following) this.showPose(this.pose, this.pose.row);
    }
    this.stale = true;
  }

  /** A guard that was not there when the page was opened: its options are in the document now. */
  private learn(): void {
    if (this.learning) return;
    this.learning = true;
    const told = ({ guard }: PageDocument) => {
      if (!guard) return;
      const { latency, margin, budget, work_bound } = guard;
      Object.assign(this.run, { latency, margin, budget, work_bound });
    };
    fetchDocument()
      .then(told, () => {})
      .finally(() => setTimeout(() => (this.learning = false), 5000));
  }

  private append(rows: GuardRows): void {
    const mine = this.run.rows;
    const names = Object.keys(rows) as (keyof GuardRows)[];
    // A guard that was started again has a clock of its own.
    const again = rows.time.length > 0 && rows.time[0] < mine.time[mine.time.length - 1];
    if (again) for (const name of names) mine[name].length = 0;
    else if (rows.time[0] - mine.time[mine.time.length - 1] > kSilent) this.appendSilence();
    for (const name of names) (mine[name] as unknown[]).push(...rows[name]);
    const { time } = mine;
    const newest = time[time.length - 1] ?? 0;
    let old = Math.max(0, time.length - kRows);
    while (old < time.length && time[old] < newest - kKeep) ++old;
    if (old > 0) for (const name of names) mine[name].splice(0, old);
    this.row = Math.max(0, time.length - 1);
  }

  /** A row that says nothing: plots have a gap there, and no line that nobody measured. */
  private appendSilence(): void {
    const { rows } = this.run;
    const last = rows.time.length - 1;
    rows.cycle.push(rows.cycle[last]);
    rows.time.push(rows.time[last]);
    rows.go.push(1);
    rows.reason.push('');
    rows.a.push(-1);
    rows.b.push(-1);
    rows.bound.push(null);
    rows.distance.push(null);
    (rows.flops as (number | null)[]).push(null);
    rows.microseconds.push(null);
  }

  /** Words at once, plots at most ten times a second. */
  private tick(): void {
    if (this.stale) {
      this.stale = false;
      this.plots.update();
    }
    this.showState();
  }

  private lay(): void {
    const { run } = this;
    const last = Math.max(0, run.rows.time.length - 1);
    this.scrubber.max = String(last);
    this.scrubber.addEventListener('input', () => this.scrubTo(Number(this.scrubber.value)));
    const bar = make('div', { class: 'bar' });
    if (run.live) bar.append(make('strong', { title: run.name }, fileName(run.name)), this.follow);
    else {
      bar.append(make('strong', { title: run.name }, fileName(run.name)), this.scrubber);
      if (this.firstBrake() >= 0) {
        const jump = () => this.scrubTo(this.firstBrake());
        bar.append(button('First brake', jump, { id: 'first-brake' }));
      }
    }
    this.dock.append(bar, this.plots.element, this.plots.note);
    this.element.append(
      make('div', { class: 'lamp-row' }, this.lamp, this.why),
      this.facts,
      make('h2', {}, 'Time of a cycle, \u00b5s'),
      this.histogram.element,
      this.times,
    );
  }

  private firstBrake(): number {
    return this.run.rows.go.findIndex((go) => !go);
  }

  private setFollowing(on: boolean): void {
    this.following = on;
    this.follow.hidden = on;
    if (on && this.pose) this.showPose(this.pose, this.pose.row);
  }

  private scrubTo(row: number): void {
    const { run } = this;
    if (run.live || run.rows.time.length === 0) return;
    this.row = Math.min(run.rows.time.length - 1, Math.max(0, row));
    this.scrubber.value = String(this.row);
    const part = this.row / Math.max(1, run.rows.time.length - 1);
    this.scrubber.style.setProperty('--at', `${100 * part}%`);
    this.plots.setRow(this.row);
    this.showState();
    let best: GuardPose | null = null;
    for (const pose of run.poses) {
      if (!best || Math.abs(pose.row - this.row) < Math.abs(best.row - this.row)) best = pose;
    }
    if (best) this.showPose(best, this.row);
  }

  private showPose(pose: GuardPose, row: number): void {
    const { cycle, time } = this.run.rows;
    const own = cycle[pose.row];
    const other = pose.row === row ? '' : `, the nearest pose to cycle ${cycle[row]}`;
    const when = own === undefined ? '' : `, cycle ${own} at ${seconds(time[pose.row])}${other}`;
    if (!this.run.live) this.app.setVolumes('guard', pose.volumes);
    this.app.show(shownAnswer(pose.pose, 'guard', `Guard${when}`));
    this.following = true;
    this.follow.hidden = true;
    this.askBraking();
  }

  private askBraking(): void {
    if (!this.run.live || !this.following || !this.app.connected) return;
    if (this.app.layers.get('swept')) this.brakings.ask(null);
  }

  /** Seconds without a cycle; null: there was none yet. */
  private silence(): number | null {
    if (!this.run.live) return 0;
    if (this.silent === null) return null;
    return this.silent + (performance.now() - this.told) / 1000;
  }

  private state(): { lamp: Lamp; words: string } {
    const { rows, live } = this.run;
    const silence = this.silence();
    if (live && !this.app.connected) return { lamp: 'silent', words: 'Connection lost' };
    if (silence === null) return { lamp: 'silent', words: 'No cycle yet' };
    if (silence > kSilent) {
      return { lamp: 'silent', words: `Guard silent for ${silence.toFixed(1)} s` };
    }
    if (rows.go.length === 0) return { lamp: 'silent', words: 'No cycle yet' };
    return { lamp: rows.go[this.row] ? 'go' : 'brake', words: rows.reason[this.row] };
  }

  /** The head of the page shows the guard's pose: it must not look fresh when it is not. */
  private showSilence(silent: boolean, words: string): void {
    const shown = this.app.shown;
    const stale = silent && this.run.live && shown?.source === 'guard';
    document.body.classList.toggle('stale', stale);
    if (stale) setText(this.caption, `${words}. ${shown.caption} is the last known.`);
  }

  private showState(): void {
    const { rows, histogram } = this.run;
    const { lamp, words } = this.state();
    for (const element of [this.lamp, this.chip]) {
      element.dataset.lamp = lamp;
      setText(element, kLamp[lamp]);
    }
    setText(this.why, words);
    this.showSilence(lamp === 'silent', words);
    const i = this.row;
    const known = rows.time.length > 0;
    const met = this.run.work_bound > 0;
    const old = lamp === 'silent' ? ' (last known)' : '';
    const pair: [number, number] | null = known ? [rows.a[i], rows.b[i]] : null;
    redefine(this.facts, [
      ['Pair that decides', known ? this.app.pairName(pair) + old : '\u2013'],
      ['Bound while braking', known ? boundMetres(boundOf(rows, i)) + old : '\u2013'],
      ['Distance', known ? boundMetres(rows.distance[i]) + old : '\u2013'],
      ['Cycle', known ? `${count(rows.cycle[i])} at ${seconds(rows.time[i])}` : '\u2013'],
      ['Work of it', known ? `${count(rows.flops[i])} flop` : '\u2013'],
      ['Work at most', met ? `${count(this.run.work_bound)} flop` : '\u2013'],
      ['Cycles', count(this.run.cycles)],
      ['Of them brakes', count(this.run.brakes)],
      ['Overruns', count(this.run.overruns)],
      ['Latency allowed for', met ? `${trimmed(this.run.latency * 1000, 3)} ms` : '\u2013'],
      ['Margin', met ? `${trimmed(this.run.margin)} m` : '\u2013'],
    ]);
    const key = JSON.stringify(histogram) + known;
    if (key === this.times.dataset.key) return;
    this.times.dataset.key = key;
    this.histogram.element.hidden = !histogram || histogram.from.length === 0;
    if (!histogram || histogram.from.length === 0) {
      this.times.replaceChildren(make('p', { class: 'quiet' }, known ? 'Cycles were not timed.' : 'No cycle yet.'));
      return;
    }
    this.histogram.show(histogram);
    const us = (value: number) => `${trimmed(value, 1)} \u00b5s`;
    this.times.replaceChildren(
      definitions([
        ['Median', us(histogram.median)],
        ['99 %', us(histogram.p99)],
        ['99.9 %', us(histogram.p999)],
        ['Longest', us(histogram.max)],
      ]),
    );
  }
}

const kNothing: SweepAnswer['volumes'] = [];
