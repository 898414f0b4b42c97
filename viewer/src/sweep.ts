// SPDX-License-Identifier: BSD-3-Clause
//
// A box of configurations around the pose of the sliders: what the bodies cover, and what is proved
// for all of them at once.
import type { App } from './app';
import { Latest, Refusal } from './client';
import type { SweepAnswer } from './document';
import { make, setText } from './dom';
import type { JointsPanel } from './joints';
import { boundMetres } from './readout';

const kIdle = 'Widen it to see what all configurations nearby cover.';
const kElsewhere = 'Of poses of the sliders alone: move one, or choose a state.';
const kDegrees = 180 / Math.PI;

interface Question {
  q: number[];
  halfWidth: number[];
  words: string;
}

/** Live pages only: the program computes it. */
export class SweepPanel {
  readonly element = make('section', { class: 'panel sweep', 'aria-label': 'Around the pose' });
  private readonly angle = this.slider('rad', 0.3, 'Half-width of angles');
  private readonly way = this.slider('m', 0.1, 'Half-width of ways');
  private readonly answer = make('p', { id: 'sweep-answer', class: 'answer' });
  private readonly sweeps: Latest<Question, SweepAnswer>;

  constructor(
    private readonly app: App,
    private readonly joints: JointsPanel,
  ) {
    this.sweeps = new Latest<Question, SweepAnswer>(
      ({ q, halfWidth }) => app.client!.sweep(q, halfWidth),
      (answer, { words }) => this.show(answer, words),
      (error) => {
        app.setVolumes('pose', []);
        this.say(error instanceof Refusal ? error.message : 'No answer.', 'undecided');
      },
    );
    const units = app.world.joints.map((joint) => joint.unit);
    this.element.append(
      make('h2', {}, 'Around this pose'),
      units.includes('rad') ? this.angle.row : '',
      units.includes('m') ? this.way.row : '',
      this.answer,
    );
    this.angle.tell();
    this.way.tell();
    this.say(kIdle, '');
    app.on('claim', (source) => {
      if (source !== 'pose') this.clear(this.words() ? kElsewhere : kIdle);
    });
    app.on('units', () => {
      this.angle.tell();
      if (app.shown?.source === 'pose') this.update();
    });
  }

  /** The pose has moved, or the box has changed. */
  update(): void {
    const [angle, way] = [this.angle.value(), this.way.value()];
    const words = this.words();
    if (!words || !this.app.connected) {
      this.clear(kIdle);
      return;
    }
    this.answer.setAttribute('aria-busy', 'true');
    // A little more than what is told, whose last digit may have been rounded.
    const more = 1.000001;
    const halfWidth = this.app.world.joints.map(({ unit }) =>
      unit === 'rad' ? more * angle : unit === 'm' ? more * way : 0,
    );
    this.sweeps.ask({ q: [...this.joints.q], halfWidth, words });
  }

  /** The box in words; empty: there is none. */
  private words(): string {
    const parts = [this.angle, this.way].filter((slider) => slider.value() > 0);
    return parts.map((slider) => slider.words()).join(' / ');
  }

  private clear(words: string): void {
    this.sweeps.forget();
    this.app.setVolumes('pose', []);
    this.say(words, '');
  }

  private show(answer: SweepAnswer, words: string): void {
    this.app.setVolumes('pose', answer.volumes);
    const pair = this.app.pairName(answer.pair);
    const left = answer.not_drawn > 0 ? ` ${answer.not_drawn} bodies are not drawn.` : '';
    const every = `Every configuration within ${words}:`;
    if (answer.clearance === null) this.say(`${every} no checked pair.${left}`, '');
    else if (answer.clearance > 0) {
      const bound = boundMetres(answer.clearance);
      this.say(`${every} at least ${bound} apart (${pair}).${left}`, 'free');
    } else this.say(`${every} not shown to be free (${pair}).${left}`, 'undecided');
  }

  private say(text: string, verdict: string): void {
    if (!this.sweeps?.behind) this.answer.removeAttribute('aria-busy');
    this.answer.dataset.verdict = verdict;
    setText(this.answer, text);
  }

  private slider(unit: string, most: number, label: string) {
    const text = make('output');
    const words = () => {
      const degrees = unit === 'rad' && this.app.degrees;
      const value = Number(input.value) * (degrees ? kDegrees : 1);
      // Rounded down: the box that was asked about is no smaller than the one that is told.
      const digits = degrees ? 2 : 4;
      const told = Math.floor(value * 10 ** digits + 1e-6) / 10 ** digits;
      return `\u00b1${told.toFixed(digits)}${degrees ? '\u00b0' : ` ${unit}`}`;
    };
    const tell = () => {
      setText(text, words());
      input.setAttribute('aria-valuetext', words());
    };
    const input = make('input', {
      type: 'range',
      min: 0,
      max: most,
      step: most / 300,
      value: 0,
      'aria-label': label,
      'data-sweep': unit,
      'data-program': true,
      disabled: true,
    });
    input.addEventListener('input', () => {
      tell();
      input.style.setProperty('--at', `${(100 * Number(input.value)) / most}%`);
      if (Number(input.value) > 0) this.app.setLayer('swept', true);
      if (this.app.shown?.source !== 'pose') this.joints.take();
      this.update();
    });
    const row = make('div', { class: 'sweep-row' }, input, text);
    return { row, words, tell, value: () => Number(input.value) };
  }
}
