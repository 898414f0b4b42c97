// SPDX-License-Identifier: BSD-3-Clause
//
// Panels behind tabs; arrow keys go from one to the next. What lies over time stands under the
// picture and stays there when another tab is opened.
import type { App } from './app';
import { byId, make } from './dom';

interface Tab {
  name: string;
  tab: HTMLButtonElement;
  panel: HTMLElement;
  dock: HTMLElement | null;
}

export class Tabs {
  private readonly tabs: Tab[] = [];
  private readonly list = byId('tabs');
  private readonly panels = byId('panels');
  private readonly dock = byId('dock');
  current = '';

  constructor(private readonly app: App) {
    this.list.addEventListener('keydown', (event) => this.key(event));
  }

  add(name: string, words: string, panels: HTMLElement[], dock: HTMLElement | null = null): void {
    const panel = make(
      'div',
      {
        role: 'tabpanel',
        id: `panel-${name}`,
        'aria-labelledby': `tab-${name}`,
        hidden: true,
      },
      ...panels,
    );
    const tab = make(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${name}`,
        'aria-controls': `panel-${name}`,
        'aria-selected': 'false',
        tabindex: -1,
      },
      words,
    );
    tab.addEventListener('click', () => this.open(name));
    this.list.append(tab);
    this.panels.append(panel);
    if (dock) this.dock.append(dock);
    this.tabs.push({ name, tab, panel, dock });
  }

  open(name: string): void {
    const wanted = this.tabs.find((tab) => tab.name === name);
    if (!wanted) return;
    this.current = name;
    for (const { tab, panel } of this.tabs) {
      const chosen = tab === wanted.tab;
      tab.setAttribute('aria-selected', String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      panel.hidden = !chosen;
    }
    byId('app').dataset.tab = wanted.dock ? 'timed' : 'plain';
    if (wanted.dock) this.showDock(wanted.dock);
    else this.app.tell('resize', undefined);
  }

  /** Under the picture from now on. */
  showDock(dock: HTMLElement): void {
    this.dock.hidden = false;
    for (const tab of this.tabs) if (tab.dock) tab.dock.hidden = tab.dock !== dock;
    this.app.tell('resize', undefined);
  }

  hideDock(): void {
    this.dock.hidden = true;
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const last = this.tabs.length - 1;
    let at = this.tabs.findIndex(({ name }) => name === this.current) + step;
    if (at > last) at = step > 1 ? last : 0;
    if (at < 0) at = step < -1 ? 0 : last;
    const { name, tab } = this.tabs[at];
    this.open(name);
    tab.focus();
  }
}
