// SPDX-License-Identifier: BSD-3-Clause
//
// The pose: a slider and a field a joint, named states. Sliders ask the program as they move; in a
// report they tell the values and stay where they are.
import { type App, shownAnswer } from './app';
import { Latest, Refusal } from './client';
import type { Joint, PoseAnswer } from './document';
import { breakable, button, copyText, make, remember, remembered, setText, trimmed } from './dom';

const kFilterFrom = 12; // joints
const kLate = 250; // ms until a pose without an answer is told to be one
const kDegrees = 180 / Math.PI;
const kSteps: Record<string, number | undefined> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  PageDown: -10,
  ArrowRight: 1,
  ArrowUp: 1,
  PageUp: 10,
};

interface Row {
  joint: Joint;
  element: HTMLElement;
  slider: HTMLInputElement;
  field: HTMLInputElement;
  unit: HTMLElement;
  note: HTMLElement;
  /** Somebody types there: what comes in meanwhile does not overwrite it. */
  typing: boolean;
}

/** What a slider spans: the limits, or what makes sense without. */
function spanOf(joint: Joint): [number, number] {
  const free = joint.unit === 'm' ? 1 : Math.PI;
  const lower = joint.type === 'continuous' ? -free : (joint.lower ?? (joint.upper ?? 0) - free);
  const upper = joint.type === 'continuous' ? free : (joint.upper ?? (joint.lower ?? 0) + free);
  return upper > lower ? [lower, upper] : [lower, lower + 1e-9];
}

function unitWord(joint: Joint, degrees: boolean): string {
  if (joint.unit === 'rad') return degrees ? 'degrees' : 'radians';
  return joint.unit === 'm' ? 'metres' : '';
}

export class JointsPanel {
  readonly element = make('section', { class: 'panel', 'aria-label': 'Pose' });
  /** The configuration that the sliders stand at. */
  q: number[];
  /** A new configuration was set here. */
  onMoved: (q: number[]) => void = () => {};
  private readonly rows: Row[] = [];
  private readonly states = make('select', { 'aria-label': 'Named state' });
  private readonly fault = make('p', { class: 'fault', role: 'alert', hidden: true });
  private readonly poses: Latest<number[], PoseAnswer>;
  private late = 0;

  constructor(private readonly app: App) {
    app.degrees = remembered('degrees') === 'yes';
    const first = app.document.states[0];
    this.q = first ? [...first.q] : app.world.joints.map(() => 0);
    this.poses = new Latest<number[], PoseAnswer>(
      (q) => app.client!.pose(q),
      (answer) => {
        this.fault.hidden = true;
        if (!this.poses.behind) this.wait(false);
        app.show(shownAnswer(answer, 'pose', this.caption()));
      },
      (error) => {
        if (!this.poses.behind) this.giveUp();
        if (!(error instanceof Refusal)) return;
        this.fault.hidden = false;
        setText(this.fault, error.message);
      },
    );
    this.element.append(this.toolbar(), this.fault, this.list());
    app.on('claim', (source) => {
      if (source === 'pose') return;
      this.poses.forget();
      this.wait(false);
      this.fault.hidden = true;
    });
    app.on('shown', (shown) => {
      if (shown.source !== 'pose') {
        this.states.value = '';
        this.adopt(shown.q);
      }
      this.mark(shown.beyond);
    });
    this.showUnits();
  }

  /** Shows a named state: its answer is in the document. */
  showState(index: number): void {
    const { states, poses } = this.app.document;
    const state = states[index];
    if (!state) return;
    this.poses.forget();
    this.wait(false);
    this.fault.hidden = true;
    this.states.value = String(index);
    this.adopt(state.q);
    if (poses[index]) this.app.show(shownAnswer(poses[index], 'pose', `State ${state.name}`));
    else this.take();
    this.onMoved(this.q);
  }

  /** What is shown becomes the pose of the sliders. */
  take(): void {
    if (!this.app.connected) return;
    this.app.tell('claim', 'pose');
    this.wait(true);
    this.poses.ask([...this.q]);
  }

  /** Numbers of the pose before must not look like those of this one for long. */
  private wait(on: boolean): void {
    if (!on) {
      clearTimeout(this.late);
      this.late = 0;
      document.body.classList.remove('waiting');
    } else if (!this.late) {
      this.late = window.setTimeout(() => document.body.classList.add('waiting'), kLate);
    }
  }

  /** No answer: the sliders go back to what the numbers are of. */
  private giveUp(): void {
    this.wait(false);
    if (this.app.shown) this.adopt(this.app.shown.q);
  }

  private move(index: number, value: number): void {
    this.q[index] = value;
    this.states.value = '';
    this.showRow(index);
    this.take();
    this.onMoved(this.q);
  }

  private caption(): string {
    const state = this.app.document.states[Number(this.states.value || -1)];
    return state ? `State ${state.name}` : 'Pose of the sliders';
  }

  private toolbar(): HTMLElement {
    const { states, live } = this.app.document;
    this.states.append(make('option', { value: '' }, 'as shown'));
    states.forEach((state, i) => this.states.append(make('option', { value: i }, state.name)));
    this.states.value = states.length > 0 ? '0' : '';
    this.states.addEventListener('change', () => {
      if (this.states.value !== '') this.showState(Number(this.states.value));
    });
    const copy = button('Copy as --q', () => void this.copy(copy), {
      title: 'The configuration as the command line takes it',
    });
    return make(
      'div',
      { class: 'bar' },
      make('label', { class: 'grow' }, 'State ', this.states),
      this.app.world.joints.some((joint) => joint.unit === 'rad') ? this.unitSwitch() : null,
      live ? button('Reset', () => this.showState(0), { title: 'Back to the first state' }) : null,
      copy,
    );
  }

  private async copy(control: HTMLButtonElement): Promise<void> {
    const text = this.app.world.joints.map((joint, i) => `${joint.name}=${this.q[i]}`).join(',');
    const done = await copyText(text);
    setText(control, done ? 'Copied' : 'Not copied');
    setTimeout(() => setText(control, 'Copy as --q'), 1500);
  }

  private unitSwitch(): HTMLElement {
    const choose = (degrees: boolean) => {
      this.app.degrees = degrees;
      remember('degrees', degrees ? 'yes' : 'no');
      press();
      this.showUnits();
      this.app.tell('units', degrees);
    };
    const radians = button('rad', () => choose(false), { 'aria-label': 'Angles in radians' });
    const degrees = button('deg', () => choose(true), { 'aria-label': 'Angles in degrees' });
    const press = () => {
      radians.setAttribute('aria-pressed', String(!this.app.degrees));
      degrees.setAttribute('aria-pressed', String(this.app.degrees));
    };
    press();
    const named = { class: 'switch', role: 'group', 'aria-label': 'Unit of angles' };
    return make('span', named, radians, degrees);
  }

  private list(): HTMLElement {
    const list = make('div', { class: 'joints' });
    const { joints } = this.app.world;
    if (joints.length === 0) list.append(make('p', { class: 'quiet' }, 'Nothing moves here.'));
    if (joints.length > kFilterFrom) list.append(this.filter());
    let [group, body] = ['', list as HTMLElement];
    joints.forEach((joint, index) => {
      const slash = joint.name.indexOf('/');
      const name = slash < 0 ? '' : joint.name.slice(0, slash);
      if (name !== group) {
        group = name;
        body = name ? make('fieldset', {}, make('legend', {}, name)) : list;
        if (name) list.append(body);
      }
      body.append(this.row(joint, index, name ? joint.name.slice(slash + 1) : joint.name));
    });
    return list;
  }

  private filter(): HTMLElement {
    const field = make('input', {
      type: 'search',
      placeholder: `Find among ${this.app.world.joints.length} joints`,
      'aria-label': 'Find a joint',
    });
    field.addEventListener('input', () => {
      const wanted = field.value.trim().toLowerCase();
      for (const { joint, element } of this.rows) {
        element.hidden = !joint.name.toLowerCase().includes(wanted);
      }
      const found = this.rows.some(({ element }) => !element.hidden);
      for (const group of this.element.querySelectorAll<HTMLElement>('fieldset')) {
        group.hidden = !group.querySelector('.joint:not([hidden])');
      }
      none.hidden = found;
    });
    const none = make('p', { class: 'quiet', hidden: true }, 'None has that in its name.');
    return make('div', { class: 'stack' }, field, none);
  }

  private row(joint: Joint, index: number, short: string): HTMLElement {
    const [lower, upper] = spanOf(joint);
    const program = { 'data-program': true, disabled: !this.app.connected };
    const slider = make('input', {
      type: 'range',
      min: lower,
      max: upper,
      step: 'any',
      'data-joint': joint.name,
      'aria-label': joint.name,
      ...program,
    });
    const field = make('input', {
      type: 'number',
      step: 'any',
      'data-joint': joint.name,
      'aria-label': `${joint.name}, value`,
      ...program,
    });
    const note = make('span', { class: 'beyond', hidden: true }, 'beyond limits');
    const unit = make('span', { class: 'unit' });
    slider.addEventListener('input', () => this.move(index, Number(slider.value)));
    slider.addEventListener('keydown', (event) => this.step(event, index, upper - lower));
    const row: Row = { joint, element: make('div'), slider, field, unit, note, typing: false };
    field.addEventListener('input', () => (row.typing = true));
    field.addEventListener('blur', () => {
      row.typing = false;
      this.showRow(index);
    });
    field.addEventListener('change', () => {
      row.typing = false;
      const value = field.valueAsNumber / this.scale(joint);
      if (Number.isFinite(value)) this.move(index, value);
      else this.showRow(index);
    });
    row.element = make(
      'div',
      { class: 'joint' },
      make('span', { class: 'joint-name', title: joint.name }, ...breakable(short), note),
      slider,
      field,
      unit,
    );
    this.rows.push(row);
    return row.element;
  }

  /** Without a step of its own a slider makes steps that are too wide to aim with. */
  private step(event: KeyboardEvent, index: number, span: number): void {
    const sign = kSteps[event.key];
    if (sign === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const [lower, upper] = spanOf(this.rows[index].joint);
    const value = this.q[index] + (sign * span) / (event.shiftKey ? 2000 : 200);
    this.move(index, Math.min(upper, Math.max(lower, value)));
  }

  private scale(joint: Joint): number {
    return joint.unit === 'rad' && this.app.degrees ? kDegrees : 1;
  }

  private adopt(q: number[]): void {
    this.q = [...q];
    this.rows.forEach((_, i) => this.showRow(i));
  }

  private showRow(index: number): void {
    const { joint, slider, field, typing } = this.rows[index];
    const value = this.q[index] ?? NaN;
    if (!Number.isFinite(value)) {
      if (!typing) field.value = '';
      slider.setAttribute('aria-valuetext', 'not known');
      field.title = 'Not known';
      return;
    }
    slider.value = String(value);
    const [lower, upper] = spanOf(joint);
    slider.style.setProperty('--at', `${(100 * (value - lower)) / (upper - lower)}%`);
    const scale = this.scale(joint);
    const text = trimmed(value * scale, scale === 1 ? 6 : 4);
    if (!typing && field.value !== text) field.value = text;
    slider.setAttribute('aria-valuetext', `${text} ${unitWord(joint, scale !== 1)}`);
    field.title = `${value} ${joint.unit}`;
  }

  private showUnits(): void {
    this.rows.forEach(({ joint, unit, slider }, i) => {
      const word = this.scale(joint) !== 1 ? '\u00b0' : joint.unit;
      setText(unit, word);
      const limit = (value: number | null) =>
        value === null ? 'no limit' : `${trimmed(value * this.scale(joint), 3)} ${word}`;
      const limited = joint.lower !== null || joint.upper !== null;
      slider.title = limited ? `${limit(joint.lower)} to ${limit(joint.upper)}` : 'No limits';
      this.showRow(i);
    });
  }

  private mark(beyond: number[]): void {
    this.rows.forEach(({ element, note }, i) => {
      const out = beyond.includes(i);
      element.classList.toggle('is-beyond', out);
      note.hidden = !out;
    });
  }
}
