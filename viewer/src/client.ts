// SPDX-License-Identifier: BSD-3-Clause
//
// The program at the other end: what is asked, what it sends by itself, and whether it is there.
import type { GuardEvent, Motion, PageDocument, PoseAnswer, SweepAnswer } from './document';

/** The program has answered, with a refusal. */
export class Refusal extends Error {}

/** What a refusal says: the line for people, where it comes as JSON too. */
function reasonOf(text: string, status: number): string {
  try {
    const value: unknown = JSON.parse(text);
    if (value && typeof value === 'object' && 'error' in value) return String(value.error);
  } catch {
    // Plain text it is.
  }
  return text.trim() || `the program refused (${status})`;
}

async function ask<T>(path: string, init: RequestInit, patience: number): Promise<T> {
  const answer = await fetch(path, {
    ...init,
    cache: 'no-store',
    signal: AbortSignal.timeout(patience),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Refusal(reasonOf(text, answer.status));
  return JSON.parse(text) as T;
}

function post<T>(path: string, body: unknown, patience = 20_000): Promise<T> {
  const headers = { 'Content-Type': 'application/json' };
  return ask<T>(path, { method: 'POST', headers, body: JSON.stringify(body) }, patience);
}

export function fetchDocument(): Promise<PageDocument> {
  return ask<PageDocument>('/api/document', {}, 120_000);
}

/** Under way, of all kinds; body.dataset.asking tells. */
let questions = 0;

/** At most one question is under way; of those that come meanwhile only the last one is asked. */
export class Latest<Question, Answer> {
  private waiting: { question: Question } | null = null;
  private busy = false;
  private era = 0;

  constructor(
    private readonly asks: (question: Question) => Promise<Answer>,
    private readonly done: (answer: Answer, question: Question) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  ask(question: Question): void {
    this.waiting = { question };
    if (!this.busy) void this.run();
  }

  /** What comes back now is of no interest any more. */
  forget(): void {
    this.waiting = null;
    ++this.era;
  }

  /** Something newer is to be asked as soon as this is answered. */
  get behind(): boolean {
    return this.waiting !== null;
  }

  private async run(): Promise<void> {
    this.busy = true;
    document.body.dataset.asking = String(++questions);
    while (this.waiting) {
      const { question } = this.waiting;
      const era = this.era;
      this.waiting = null;
      try {
        const answer = await this.asks(question);
        if (era === this.era) this.done(answer, question);
      } catch (error) {
        if (era === this.era) this.failed(error);
      }
    }
    this.busy = false;
    document.body.dataset.asking = String(--questions);
  }
}

export interface ConnectionEvents {
  /** The program answers. `hash`: of its world. */
  found(hash: string): void;
  lost(): void;
  guard(event: GuardEvent): void;
}

const kRetry = 1500; // ms
const kHidden = 30_000; // ms

/** Browsers open six connections to a host and no more: a page that nobody sees gives up its
 * own. */
export class Client {
  connected = false;
  /** The program has another world than the page: its answers are to other questions. */
  foreign = false;
  /** When the program was last heard. */
  heard = new Date();
  private source: EventSource | null = null;
  private retry = 0;
  private hiding = 0;

  constructor(private readonly events: ConnectionEvents) {
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.hiding);
      if (document.hidden) this.hiding = window.setTimeout(() => this.rest(), kHidden);
      else if (!this.source) this.open();
    });
    // Back from elsewhere: the browser has kept the page, and not its connection.
    window.addEventListener('pageshow', (event) => {
      if (event.persisted) this.open();
    });
  }

  open(): void {
    this.close();
    const source = new EventSource('/api/events');
    this.source = source;
    source.addEventListener('hello', (event) => {
      this.heard = new Date();
      this.connected = true;
      this.events.found(String(JSON.parse(event.data).hash));
    });
    source.addEventListener('guard', (event) => {
      this.heard = new Date();
      this.events.guard(JSON.parse(event.data) as GuardEvent);
    });
    source.addEventListener('error', () => this.lose());
  }

  private close(): void {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  /** Nothing is asked until the program has said again who it is. */
  private rest(): void {
    this.close();
    this.leave();
  }

  private lose(): void {
    this.close();
    this.retry = window.setTimeout(() => this.open(), kRetry);
    this.leave();
  }

  private leave(): void {
    if (!this.connected) return;
    this.connected = false;
    this.events.lost();
  }

  private async through<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      this.heard = new Date();
      return value;
    } catch (error) {
      if (!(error instanceof Refusal)) this.lose();
      throw error;
    }
  }

  pose(q: number[]): Promise<PoseAnswer> {
    return this.through(post<PoseAnswer>('/api/pose', { q }));
  }

  sweep(q: number[], halfWidth: number[]): Promise<SweepAnswer> {
    return this.through(post<SweepAnswer>('/api/sweep', { q, half_width: halfWidth }, 60_000));
  }

  braking(): Promise<SweepAnswer> {
    return this.through(post<SweepAnswer>('/api/braking', {}));
  }

  /** A proof takes its time. */
  motion(name: string, text: string): Promise<Motion> {
    const path = `/api/motion?name=${encodeURIComponent(name)}`;
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
    return this.through(ask<Motion>(path, { method: 'POST', headers, body: text }, 600_000));
  }
}
