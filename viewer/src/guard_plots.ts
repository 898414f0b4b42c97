// SPDX-License-Identifier: BSD-3-Clause
//
// Plots of a guard: distance and bound over time, work of each cycle, and how long cycles took.
import uPlot from 'uplot';
import type { GuardRows, GuardRun } from './document';
import { brief, make, setText, styleColour } from './dom';
import { axes, lineKey } from './plot';
import { boundMetres } from './readout';

function text(u: uPlot, words: string, x: number, y: number, align: CanvasTextAlign): void {
  u.ctx.font = `600 ${11 * devicePixelRatio}px system-ui, sans-serif`;
  u.ctx.textAlign = align;
  u.ctx.fillText(words, x, y);
}

function line(u: uPlot, x0: number, y0: number, x1: number, y1: number): void {
  u.ctx.beginPath();
  u.ctx.moveTo(x0, y0);
  u.ctx.lineTo(x1, y1);
  u.ctx.stroke();
}

/** A line has two ends: fewer rows are dots. */
function few(u: uPlot): boolean {
  return u.data[0].length < 3;
}

/** One row alone stands in the middle. */
function timeRange(u: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const [times] = u.data;
  return times.length > 1 && high > low ? [low, high] : [times[0] - 0.5, times[0] + 0.5];
}

/** Where the guard brakes: tinted and named. */
function drawBrakes(u: uPlot, rows: GuardRows): void {
  const { ctx, bbox } = u;
  const last = rows.go.length - 1;
  ctx.save();
  ctx.fillStyle = styleColour('--contact');
  for (let i = 0; i <= last; ++i) {
    if (rows.go[i]) continue;
    const start = i;
    while (i < last && !rows.go[i + 1]) ++i;
    const x0 = u.valToPos(rows.time[start], 'x', true);
    const x1 = Math.max(x0 + 2, u.valToPos(rows.time[Math.min(last, i + 1)], 'x', true));
    ctx.globalAlpha = 0.14;
    ctx.fillRect(x0, bbox.top, x1 - x0, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(x0, bbox.top, x1 - x0, 3 * devicePixelRatio);
    if (x1 - x0 > 40 * devicePixelRatio) {
      text(u, 'brake', x0 + 4 * devicePixelRatio, bbox.top + 15 * devicePixelRatio, 'left');
    }
  }
  ctx.restore();
}

/** Null where the guard braked before it looked at any pair: nothing was bounded then. */
export function boundOf(rows: GuardRows, row: number): number | null {
  return rows.go[row] || rows.a[row] >= 0 ? rows.bound[row] : null;
}

export class GuardPlots {
  readonly element = make('div', { class: 'guard-plots' });
  readonly note = make('p', { class: 'strip-note quiet', 'aria-hidden': 'true' });
  private readonly distance = make('div', { class: 'plotted' });
  private readonly work = make('div', { class: 'plotted' });
  private plots: uPlot[] = [];
  private row = -1;

  constructor(
    private readonly run: GuardRun,
    private readonly onRow: (row: number) => void,
  ) {
    const distances = [
      lineKey('distance', 'Distance'),
      lineKey('bound', 'Bound while braking'),
    ];
    const work = [lineKey('distance', 'Work of a cycle, flop'), lineKey('limit', 'at most')];
    this.element.append(
      make(
        'figure',
        {},
        make('figcaption', {}, ...distances),
        this.distance,
      ),
      make(
        'figure',
        {},
        make('figcaption', {}, ...work),
        this.work,
      ),
    );
  }

  /** The line that tells which row is shown; -1: the last one, and no line. */
  setRow(row: number): void {
    this.row = row;
    for (const plot of this.plots) plot.redraw(false, false);
  }

  resize(): void {
    if (this.distance.clientWidth < 60 || this.distance.clientHeight < 40) return;
    if (this.plots.length === 0) {
      this.plots = [this.drawDistance(), this.drawWork()];
      return;
    }
    [this.distance, this.work].forEach(({ clientWidth, clientHeight }, i) => {
      this.plots[i].setSize({ width: clientWidth, height: clientHeight });
    });
  }

  update(): void {
    const { rows } = this.run;
    this.plots[0]?.setData([rows.time, rows.distance, this.bounds()]);
    this.plots[1]?.setData([rows.time, rows.flops]);
  }

  redraw(): void {
    for (const plot of this.plots) plot.redraw(false, true);
  }

  private bounds(): (number | null)[] {
    return this.run.rows.time.map((_, row) => boundOf(this.run.rows, row));
  }

  private common(holder: HTMLElement): Omit<uPlot.Options, 'series'> {
    return {
      width: holder.clientWidth,
      height: holder.clientHeight,
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: false, y: false },
        sync: { key: 'guard' },
      },
      padding: [6, 20, 0, 0],
    };
  }

  private drawDistance(): uPlot {
    const { rows } = this.run;
    const plot = new uPlot(
      {
        ...this.common(this.distance),
        scales: {
          x: { time: false, range: timeRange },
          y: {
            range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(1e-3, (high ?? 1) * 1.06)],
          },
        },
        axes: axes('s', 'm'),
        series: [
          {},
          { stroke: () => styleColour('--accent'), width: 2, points: { show: few } },
          { stroke: () => styleColour('--second'), width: 1.5, points: { show: few } },
        ],
        hooks: {
          drawClear: [(u) => drawBrakes(u, rows)],
          draw: [(u) => this.drawRow(u)],
          setCursor: [(u) => this.tell(u.cursor.idx ?? -1)],
        },
      },
      [rows.time, rows.distance, this.bounds()],
      this.distance,
    );
    this.scrub(plot);
    return plot;
  }

  private drawWork(): uPlot {
    const { rows } = this.run;
    const most = () => this.run.work_bound;
    const plot = new uPlot(
      {
        ...this.common(this.work),
        scales: {
          x: { time: false, range: timeRange },
          y: { range: (_, _low, high) => [0, 1.12 * Math.max(high ?? 0, most(), 1)] },
        },
        axes: axes('s', '', 46),
        series: [{}, { stroke: () => styleColour('--accent'), width: 1, points: { show: few } }],
        hooks: {
          draw: [
            (u) => {
              this.drawRow(u);
              if (most() > 0) this.drawBound(u, most());
            },
          ],
        },
      },
      [rows.time, rows.flops],
      this.work,
    );
    this.scrub(plot);
    return plot;
  }

  private drawBound(u: uPlot, bound: number): void {
    const { ctx, bbox } = u;
    const y = u.valToPos(bound, 'y', true);
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = styleColour('--ink');
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    line(u, bbox.left, y, bbox.left + bbox.width, y);
    ctx.restore();
  }

  private drawRow(u: uPlot): void {
    const time = this.run.rows.time[this.row];
    if (time === undefined) return;
    const { ctx, bbox } = u;
    const x = u.valToPos(time, 'x', true);
    ctx.save();
    ctx.strokeStyle = styleColour('--ink');
    ctx.lineWidth = 1.5 * devicePixelRatio;
    line(u, x, bbox.top, x, bbox.top + bbox.height);
    ctx.restore();
  }

  private scrub(plot: uPlot): void {
    const at = (event: PointerEvent) => {
      const x = event.clientX - plot.over.getBoundingClientRect().left;
      this.onRow(plot.posToIdx(x));
    };
    plot.over.addEventListener('pointerdown', (event) => {
      plot.over.setPointerCapture(event.pointerId);
      at(event);
    });
    plot.over.addEventListener('pointermove', (event) => {
      if (plot.over.hasPointerCapture(event.pointerId)) at(event);
    });
  }

  private tell(row: number): void {
    const { rows } = this.run;
    if (rows.time[row] === undefined) {
      setText(this.note, '');
      return;
    }
    const [distance, bound] = [rows.distance[row], boundOf(rows, row)];
    const words = [
      `${rows.time[row].toFixed(3)} s`,
      `cycle ${rows.cycle[row]}`,
      rows.go[row] ? rows.reason[row] && 'go' : `brake (${rows.reason[row]})`,
      distance === null ? '' : `distance ${distance.toFixed(4)} m`,
      bound === null ? '' : `bound ${boundMetres(bound)}`,
      rows.flops[row] === null ? 'then silence' : `${brief(rows.flops[row])} flop`,
    ];
    setText(this.note, words.filter(Boolean).join(', '));
  }
}

/** Bins grow by a factor, counts by powers of ten: the rare long cycle must show. */
export class Histogram {
  readonly element = make('div', { class: 'histogram' });
  private plot: uPlot | null = null;
  private shown: NonNullable<GuardRun['histogram']> | null = null;

  show(histogram: NonNullable<GuardRun['histogram']>): void {
    const grown = this.shown && this.shown.from.length !== histogram.from.length;
    this.shown = histogram;
    if (grown) this.destroy();
    this.resize();
    this.plot?.setData(this.data());
  }

  resize(): void {
    const width = this.element.clientWidth;
    if (width < 60 || !this.shown) return;
    if (this.plot) this.plot.setSize({ width, height: 130 });
    else this.draw(width);
  }

  redraw(): void {
    this.plot?.redraw(false, true);
  }

  private destroy(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  private data(): uPlot.AlignedData {
    const { count } = this.shown!;
    return [count.map((_, i) => i), count.map((n) => (n > 0 ? Math.log10(n) + 1 : null))];
  }

  private draw(width: number): void {
    const [x, y] = axes('', '', 40);
    const from = () => this.shown!.from;
    x.values = (_, splits) => splits.map((i) => (i in from() ? `${brief(from()[i])}` : ''));
    x.incrs = [1, 2, 4, 5, 8, 10, 20, 40];
    x.space = 36;
    y.incrs = [1, 2];
    y.values = (_, splits) => splits.map((v) => (v >= 1 ? brief(10 ** (v - 1)) : ''));
    this.plot = new uPlot(
      {
        width,
        height: 130,
        legend: { show: false },
        cursor: { show: false },
        padding: [14, 12, 0, 0],
        scales: {
          x: { time: false, range: () => [-0.6, from().length - 0.4] },
          y: { range: (_, _low, high) => [0, Math.max(2, (high ?? 1) * 1.05)] },
        },
        axes: [x, y],
        series: [
          {},
          {
            fill: () => styleColour('--accent'),
            width: 0,
            points: { show: false },
            paths: uPlot.paths.bars!({ size: [0.85, 60] }),
          },
        ],
        hooks: { draw: [(u) => this.marks(u)] },
      },
      this.data(),
      this.element,
    );
  }

  /** Quantiles stand over the bin that they fall into. */
  private marks(u: uPlot): void {
    const { from, median, p99, p999, max } = this.shown!;
    const { ctx, bbox } = u;
    const dot = devicePixelRatio;
    const seen = new Map<number, string>();
    for (const [name, value] of [
      ['median', median],
      ['p99', p99],
      ['p99.9', p999],
      ['max', max],
    ] as const) {
      let bin = from.findIndex((start) => start > value) - 1;
      if (bin < 0) bin = from.length - 1;
      seen.set(bin, seen.has(bin) ? `${seen.get(bin)}, ${name}` : name);
    }
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = styleColour('--ink');
    ctx.lineWidth = dot;
    ctx.setLineDash([2 * dot, 3 * dot]);
    let free = -Infinity;
    for (const [bin, words] of [...seen].sort((a, b) => a[0] - b[0])) {
      const x = u.valToPos(bin, 'x', true);
      line(u, x, bbox.top, x, bbox.top + bbox.height);
      ctx.font = `${10 * dot}px system-ui, sans-serif`;
      const half = ctx.measureText(words).width / 2;
      const middle = Math.min(x, bbox.left + bbox.width - half);
      if (middle - half < free) continue;
      ctx.textAlign = 'center';
      ctx.fillText(words, middle, bbox.top - 4 * dot);
      free = middle + half + 4 * dot;
    }
    ctx.restore();
  }
}
