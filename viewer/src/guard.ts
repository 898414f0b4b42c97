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
const kLearn = 3; // documents that are asked for to learn of one guard

type Row = [string, string];
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
  /** As the program told it then. Undefined: it has told nothing, and what the document has may be
   * of an hour ago. */
  private silent: number | null | undefined = undefined;
  private told = performance.now();
  private fault = '';
  private asked = 0;
  private stale = false;
  private learning = 0;
  private pose: (GuardPose & { when: string }) | null = null;
  private posing = 0;
  private notDrawn = 0;

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
      (answer) => this.showBraking(answer.volumes, answer.not_drawn),
      () => this.showBraking(kNothing),
    );
    this.row = Math.max(0, run.rows.time.length - 1);
    this.chip.hidden = false;
    this.lay();
    app.on('claim', (source) => {
      if (source !== 'guard') this.setFollowing(false);
    });
    app.on('shown', () => this.showState());
    app.on('theme', () => {
      this.plots.redraw();
      this.histogram.redraw();
    });
    app.on('layer', (layer) => {
      if (layer !== 'swept') return;
      // What it brakes over now, and not when it was last looked at.
      if (run.live && !app.layers.get('swept')) this.forgetBraking();
      this.askBraking();
    });
    app.on('connection', () => this.showState());
    if (run.live) setInterval(() => this.tick(), 100);
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
      const last = this.run.poses[this.run.poses.length - 1];
      this.pose = last ? { ...last, when: this.when(last.row) } : null;
      this.setFollowing(true);
    } else this.scrubTo(Math.max(0, this.firstBrake()));
  }

  take(event: GuardEvent): void {
    const { run } = this;
    this.silent = event.silent;
    this.fault = event.fault ?? '';
    this.told = performance.now();
    if (event.cycles < run.cycles) this.restart();
    [run.cycles, run.brakes, run.overruns] = [event.cycles, event.brakes, event.overruns];
    run.histogram = event.histogram;
    this.append(event.rows);
    if (run.work_bound === 0 && run.rows.time.length > 0) this.learn();
    if (event.pose) {
      const row = run.rows.time.length - 1;
      this.pose = { row, pose: event.pose, volumes: [], when: this.when(row) };
      // Events that come faster than pictures are drawn must not queue up behind them.
      if (this.following && !this.posing) {
        this.posing = requestAnimationFrame(() => {
          this.posing = 0;
          if (this.following && this.pose) this.showLive(this.pose);
        });
      }
    }
    this.stale = true;
  }

  /** Rows come and go: told when the pose comes in. */
  private when(row: number): string {
    const { cycle, time, distance } = this.run.rows;
    if (cycle[row] === undefined) return '';
    // A cycle without a state that can be shown: the pose is one before.
    const of = distance[row] === null && this.app.world.pairs > 0 ? 'last pose before ' : '';
    return `, ${of}cycle ${cycle[row]} at ${seconds(time[row])}`;
  }

  /** A guard that was not there when the page was opened: its options are in the document now. */
  private learn(): void {
    if (this.learning < 0 || this.learning >= kLearn) return;
    const next = this.learning + 1;
    this.learning = -1;
    const told = ({ guard }: PageDocument) => {
      if (!guard) return;
      const { latency, latency_rule, margin, budget, work_bound } = guard;
      Object.assign(this.run, { latency, latency_rule, margin, budget, work_bound });
    };
    fetchDocument()
      .then(told, () => {})
      .finally(() => setTimeout(() => (this.learning = next), 5000));
  }

  /** Another guard in its place: nothing of the one before is said of it. */
  private restart(): void {
    const { rows } = this.run;
    for (const name of Object.keys(rows) as (keyof GuardRows)[]) rows[name].length = 0;
    this.row = 0;
    this.run.work_bound = 0;
    this.learning = Math.min(this.learning, 0);
    this.forgetBraking();
  }

  private append(rows: GuardRows): void {
    const mine = this.run.rows;
    const names = Object.keys(rows) as (keyof GuardRows)[];
    // A guard that was started again has a clock of its own.
    const again = rows.time.length > 0 && rows.time[0] < mine.time[mine.time.length - 1];
    if (again) this.restart();
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
    if (this.stale && !this.dock.hidden) {
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
    if (!on && this.run.live) this.forgetBraking();
    this.following = on;
    this.follow.hidden = on;
    if (on && this.pose) this.showLive(this.pose);
  }

  private forgetBraking(): void {
    this.brakings.forget();
    this.showBraking(kNothing);
  }

  private showBraking(volumes: SweepAnswer['volumes'], notDrawn = 0): void {
    this.notDrawn = notDrawn;
    this.app.setVolumes('guard', volumes);
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
    if (!best) return;
    const { cycle } = run.rows;
    const other = best.row === this.row ? '' : `, the nearest pose to cycle ${cycle[this.row]}`;
    this.app.setVolumes('guard', best.volumes);
    this.app.show(shownAnswer(best.pose, 'guard', `Guard${this.when(best.row)}${other}`));
  }

  private showLive({ pose, when }: { pose: GuardPose['pose']; when: string }): void {
    this.app.show(shownAnswer(pose, 'guard', `Guard${when}`));
    this.askBraking();
  }

  private askBraking(): void {
    if (!this.run.live || !this.following || !this.app.connected) return;
    if (this.app.layers.get('swept')) this.brakings.ask(null);
  }

  /** Seconds without a cycle; null: there was none yet. */
  private silence(): number | null {
    if (!this.run.live) return 0;
    if (this.silent === null || this.silent === undefined) return null;
    return this.silent + (performance.now() - this.told) / 1000;
  }

  private state(): { lamp: Lamp; words: string } {
    const { rows, live } = this.run;
    const silence = this.silence();
    const no = (words: string) => ({ lamp: 'silent' as const, words });
    if (live && this.app.client?.foreign) return no('The program has another world');
    if (live && !this.app.connected) {
      return no(this.silent === undefined ? 'Connecting' : 'Connection lost');
    }
    if (live && this.fault) return no(this.fault);
    if (live && this.silent === undefined) return no('No word from the guard yet');
    if (silence === null) return no('No cycle yet');
    if (silence > kSilent) {
      return no(`Guard silent for ${silence.toFixed(silence < 10 ? 1 : 0)} s`);
    }
    if (rows.go.length === 0) return no(live ? 'No cycle yet' : 'No cycle was recorded');
    return { lamp: rows.go[this.row] ? 'go' : 'brake', words: rows.reason[this.row] };
  }

  /** The head of the page shows the guard's pose: it must not look fresh when it is not. */
  private showSilence(silent: boolean, words: string): void {
    const shown = this.app.shown;
    const old = this.run.live && shown?.source === 'guard' && (silent || !this.following);
    document.body.classList.toggle('stale', old);
    if (!old) {
      if (shown) setText(this.caption, shown.caption);
      return;
    }
    const why = silent ? `${words}. ` : '';
    setText(this.caption, `${why}${shown.caption} is the last ${silent ? 'known' : 'shown'}.`);
  }

  private showState(): void {
    const { rows, histogram } = this.run;
    const { lamp, words } = this.state();
    for (const element of [this.lamp, this.chip]) element.dataset.lamp = lamp;
    setText(this.lamp, kLamp[lamp]);
    setText(this.chip, `Guard: ${kLamp[lamp].toLowerCase()}`);
    // A recording lights no lamp beside a pose that is not its own.
    this.chip.hidden = !this.run.live && this.app.shown?.source !== 'guard';
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
      ['Work of it', known && rows.flops[i] !== null ? `${count(rows.flops[i])} flop` : '\u2013'],
      ['Work at most', met ? `${count(this.run.work_bound)} flop` : '\u2013'],
      ['Cycles', count(this.run.cycles)],
      ['Of them brakes', count(this.run.brakes)],
      ['Overruns', count(this.run.overruns)],
      ['Latency allowed for', met ? `${trimmed(this.run.latency * 1000, 3)} ms` : '\u2013'],
      ...(met && this.run.latency_rule ? [['Latency is', this.run.latency_rule] as Row] : []),
      ['Margin', met ? `${trimmed(this.run.margin)} m` : '\u2013'],
      ...(this.notDrawn > 0 ? [['Bodies not drawn', count(this.notDrawn)] as Row] : []),
    ]);
    const key = JSON.stringify(histogram) + known;
    if (key === this.times.dataset.key) return;
    this.times.dataset.key = key;
    this.histogram.element.hidden = !histogram || histogram.from.length === 0;
    if (!histogram || histogram.from.length === 0) {
      const words = known ? 'Cycles were not timed.' : 'No cycle yet.';
      this.times.replaceChildren(make('p', { class: 'quiet' }, words));
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
