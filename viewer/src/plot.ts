// SPDX-License-Identifier: BSD-3-Clause
//
// What all plots have in common: axes in the colours of the page.
import type uPlot from 'uplot';
import { brief, make, styleColour } from './dom';

const kFont = '11px system-ui, sans-serif';

/** What a line means. */
export function lineKey(name: string, words: string): HTMLElement {
  return make('span', {}, make('i', { class: `key ${name}` }), words);
}

export function axes(xUnit: string, yUnit: string, width = 56): uPlot.Axis[] {
  const common: uPlot.Axis = {
    stroke: () => styleColour('--quiet'),
    font: kFont,
    grid: { stroke: () => styleColour('--rule'), width: 1 },
    ticks: { stroke: () => styleColour('--rule'), width: 1, size: 4 },
    gap: 4,
  };
  const named = (unit: string) => (_: uPlot, values: number[]) =>
    values.map((value, i) => {
      const text = brief(value);
      return i === values.length - 1 ? `${text} ${unit}` : text;
    });
  return [
    { ...common, size: 24, space: 60, values: named(xUnit) },
    { ...common, size: width, space: 26, values: named(yUnit) },
  ];
}
