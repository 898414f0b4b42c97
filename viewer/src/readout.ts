// SPDX-License-Identifier: BSD-3-Clause
//
// The head of the page: verdict, least distance and pair of what is shown; whether the program is
// there; light or dark. Verdicts are words and shapes before they are colours.
import type { App, Shown } from './app';
import type { Verdict } from './document';
import { button, byId, clock, remember, remembered, setText, metres } from './dom';

export const verdictWord: Record<Verdict, string> = {
  free: 'Free',
  contact: 'Contact',
  undecided: 'Undecided',
};

/** Rounded down: what is proved stays proved. */
export function boundMetres(value: number | null | undefined): string {
  if (value === null || value === undefined) return '\u2013';
  const near = Number(value.toFixed(6));
  return `${(near > value ? near - 1e-6 : near).toFixed(6)} m`;
}

export function showReadout(app: App): void {
  const [verdict, distance] = [byId('verdict'), byId('distance')];
  const [bound, pair, caption] = [byId('bound'), byId('pair'), byId('shown')];
  const announce = announcer();
  app.on('shown', (shown: Shown) => {
    document.body.dataset.verdict = shown.verdict;
    const unknown = shown.distance === null && !shown.placed;
    // Apart, and yet nearer than was asked for.
    const close = shown.verdict === 'free' && !shown.kept && !unknown;
    verdict.dataset.verdict = unknown ? '' : close ? 'undecided' : shown.verdict;
    const word = close ? 'Within margin' : verdictWord[shown.verdict];
    setText(verdict, unknown ? 'No checked pair' : word);
    distance.dataset.value = String(shown.distance);
    setText(distance, metres(shown.distance));
    const first = shown.near[0];
    const depth = shown.verdict === 'contact' && shown.depth ? shown.depth : null;
    const known = shown.distance !== null && shown.lower_bound !== null;
    const least = known ? `at least ${boundMetres(shown.lower_bound)}` : '';
    const deep = depth === null ? '' : `${Math.abs(depth).toFixed(6)} m deep`;
    setText(bound, shown.verdict === 'contact' ? deep : least);
    const names = shown.pair ?? (first ? ([first.a, first.b] as [number, number]) : null);
    setText(pair, names ? app.pairName(names) : '');
    pair.title = pair.textContent ?? '';
    setText(caption, shown.caption);
    const [said, who] = [verdict.textContent, pair.textContent];
    announce(shown.verdict === 'contact' ? `${said}: ${who}` : `${said}`);
  });
}

/** Says changes alone, and not more than one in two seconds. */
function announcer(): (text: string) => void {
  const region = byId('announce');
  let [last, waiting] = ['', 0];
  let next = '';
  return (text) => {
    next = text;
    if (waiting || text === last) return;
    waiting = window.setTimeout(() => {
      waiting = 0;
      if (next === last) return;
      last = next;
      setText(region, next);
    }, 2000);
  };
}

export function showFile(): void {
  document.body.dataset.connection = 'file';
  setText(byId('connection'), 'Report');
}

/** What the banner and the head say of the connection. */
export function showConnection(app: App): void {
  const [banner, state] = [byId('banner'), byId('connection')];
  let left: HTMLInputElement | null = null;
  app.on('connection', (connected) => {
    const foreign = connected && app.client?.foreign;
    document.body.dataset.connection = connected && !foreign ? 'live' : 'lost';
    const words = connected ? 'Connected' : 'Not connected';
    document.body.classList.toggle('foreign', Boolean(app.client?.foreign));
    setText(state, foreign ? 'Another world' : words);
    // A control that goes takes the focus with it, and gives it back.
    const focused = document.activeElement;
    for (const control of document.querySelectorAll<HTMLInputElement>('[data-program]')) {
      if (control === focused && !app.connected) left = control;
      control.disabled = !app.connected;
    }
    if (app.connected && left) {
      if (document.activeElement === document.body) left.focus();
      left = null;
    }
    if (app.client?.foreign) return;
    banner.hidden = connected;
    const when = app.client ? clock(app.client.heard) : '';
    setText(
      banner,
      connected ? '' : `Connection lost: what is shown is from ${when}. Trying to connect again.`,
    );
  });
}

export function offerReload(): void {
  const banner = byId('banner');
  banner.hidden = false;
  banner.replaceChildren(
    'The program has another world now: what is shown is not what it checks. ',
    button('Load it', () => location.reload()),
  );
}

const kThemes = ['auto', 'light', 'dark'];

/** Auto follows the system. Returns what switches to the next. */
export function showTheme(app: App): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const control = byId('theme');
  let theme = remembered('theme') ?? 'auto';
  if (!kThemes.includes(theme)) theme = 'auto';
  const apply = () => {
    app.dark = theme === 'dark' || (theme === 'auto' && system.matches);
    document.documentElement.dataset.theme = app.dark ? 'dark' : 'light';
    setText(control, theme[0].toUpperCase() + theme.slice(1));
    control.setAttribute('aria-label', `Light or dark: ${theme}`);
    app.tell('theme', app.dark);
  };
  const next = () => {
    theme = kThemes[(kThemes.indexOf(theme) + 1) % kThemes.length];
    remember('theme', theme);
    apply();
  };
  control.addEventListener('click', next);
  system.addEventListener('change', apply);
  apply();
  return next;
}
