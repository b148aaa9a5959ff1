// Plots by uPlot: curves, steps, bars with intervals, boxes. Colours come from the style sheet when a plot is drawn, so that dark
// mode needs no second set; each plot has a text beside it that says the same.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { h } from './dom';
import { short } from './words';

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
export const plotColour = (i: number) => colour(`plot-${(i % 5) + 1}`);
const kFont = '13px system-ui, "DejaVu Sans", sans-serif';

type Build = (width: number) => { options: uPlot.Options; data: uPlot.AlignedData };

/** Draws again when the width or the colours change. */
function plot(label: string, build: Build): HTMLElement {
  const place = h('div', { class: 'plot', role: 'img', 'aria-label': label });
  let drawn: uPlot | null = null;
  let width = 0;
  const draw = () => {
    if (width < 40) return;
    drawn?.destroy();
    const { options, data } = build(width);
    drawn = new uPlot(options, data, place);
  };
  new ResizeObserver((entries) => {
    const now = Math.floor(entries[0]!.contentRect.width);
    if (now === width) return;
    width = now;
    draw();
  }).observe(place);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  window.addEventListener('theme', draw);
  return place;
}

const axis = (label: string, more: uPlot.Axis = {}): uPlot.Axis => ({
  stroke: colour('soft'), font: kFont, labelFont: kFont, label, labelSize: 22,
  grid: { stroke: colour('line'), width: 1 }, ticks: { stroke: colour('line'), width: 1 }, ...more,
});

const base = (width: number, height: number): Omit<uPlot.Options, 'series'> => ({
  width, height, legend: { show: false }, cursor: { show: false }, padding: [10, 14, 0, 0],
});

export interface Curve { label: string; x: number[]; y: (number | null)[] }

/** Error against epsilon, with the chosen epsilon marked. Both axes are logarithmic: the curve is nearly a line. */
export function errorCurve(curve: Curve, chosen: () => { x: number; y: number } | null): HTMLElement {
  return plot(curve.label, (width) => ({
    options: {
      ...base(width, 230),
      scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
      axes: [axis('price epsilon', { values: (_, ticks) => ticks.map((t) => (t === null ? '' : short(t))) }),
        axis('error ±', { size: 62, values: (_, ticks) => ticks.map((t) => (t === null ? '' : short(t))) })],
      series: [{}, { stroke: colour('plot-1'), width: 2.5 }],
      hooks: { draw: [(u) => {
        const at = chosen();
        if (!at || !Number.isFinite(at.y) || at.y <= 0) return;
        const x = u.valToPos(at.x, 'x', true);
        const y = u.valToPos(at.y, 'y', true);
        const { ctx, bbox } = u;
        ctx.save();
        ctx.strokeStyle = colour('plot-2');
        ctx.fillStyle = colour('plot-2');
        ctx.setLineDash([5, 4]);
        ctx.beginPath();
        ctx.moveTo(x, bbox.top + bbox.height); ctx.lineTo(x, y); ctx.lineTo(bbox.left, y);
        ctx.stroke();
        ctx.beginPath();
        ctx.arc(x, y, 6 * devicePixelRatio, 0, 7);
        ctx.fill();
        ctx.restore();
      }] },
    },
    data: [curve.x, curve.y] as uPlot.AlignedData,
  }));
}

/** Steps over time, one line each, such as what analysts have spent. */
export function stepsOverTime(label: string, yLabel: string, times: number[], lines: { label: string; y: (number | null)[] }[]): HTMLElement {
  return plot(label, (width) => ({
    options: {
      ...base(width, 260),
      axes: [axis('', { labelSize: 4 }), axis(yLabel, { size: 56 })],
      scales: { y: { range: (_, __, high) => [0, (high || 1) * 1.08] } },
      series: [{}, ...lines.map((_, i) => ({ stroke: plotColour(i), width: 2.5, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: lines[i]!.y.length < 30 } }))],
    },
    data: [times, ...lines.map((line) => line.y)] as uPlot.AlignedData,
  }));
}

export interface Bar { label: string; value: number; low: number | null; high: number | null }

function categories(width: number, labels: string[]): uPlot.Axis {
  const room = Math.max(3, Math.floor((width - 80) / labels.length / 8));
  const every = Math.ceil(labels.length / Math.max(1, Math.floor((width - 80) / 44)));
  return axis('', {
    labelSize: 4, grid: { show: false },
    splits: labels.map((_, i) => i),
    values: () => labels.map((label, i) => (i % every ? '' : label.length > room * every ? `${label.slice(0, Math.max(2, room * every - 1))}…` : label)),
  });
}

const across = (count: number): uPlot.Scale => ({ time: false, range: [-0.6, count - 0.4] });

/** Runs with a pen for every index and its place on the canvas. */
function drawEach(u: uPlot, count: number, run: (i: number, x: number, y: (v: number) => number, unit: number) => void): void {
  const { ctx } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  ctx.clip();
  const unit = u.valToPos(1, 'x', true) - u.valToPos(0, 'x', true);
  for (let i = 0; i < count; ++i) run(i, u.valToPos(i, 'x', true), (v) => u.valToPos(v, 'y', true), unit);
  ctx.restore();
}

export function barsWithIntervals(label: string, yLabel: string, bars: Bar[], touching = false): HTMLElement {
  const seen = bars.flatMap((b) => [b.value, b.low ?? b.value, b.high ?? b.value]).filter(Number.isFinite);
  const low = Math.min(0, ...seen);
  const high = Math.max(0, ...seen);
  return plot(label, (width) => ({
    options: {
      ...base(width, 280),
      scales: { x: across(bars.length), y: { range: [low - (high - low) * (low < 0 ? 0.06 : 0), high + (high - low) * 0.06 || 1] } },
      axes: [categories(width, bars.map((b) => b.label)), axis(yLabel, { size: 66 })],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [(u) => drawEach(u, bars.length, (i, x, y, unit) => {
        const { ctx } = u;
        const bar = bars[i]!;
        const half = unit * (touching ? 0.48 : 0.32);
        ctx.fillStyle = colour('plot-1');
        ctx.globalAlpha = 0.75;
        ctx.fillRect(x - half, Math.min(y(0), y(bar.value)), 2 * half, Math.abs(y(bar.value) - y(0)));
        ctx.globalAlpha = 1;
        if (bar.low === null && bar.high === null) return;
        whisker(ctx, x, y(bar.low ?? low), y(bar.high ?? high), Math.min(half * 0.5, 9 * devicePixelRatio));
      })] },
    },
    data: [bars.map((_, i) => i), bars.map((b) => b.value)] as uPlot.AlignedData,
  }));
}

function whisker(ctx: CanvasRenderingContext2D, x: number, low: number, high: number, cap: number): void {
  ctx.strokeStyle = colour('ink');
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, low); ctx.lineTo(x, high);
  for (const end of [low, high]) { ctx.moveTo(x - cap, end); ctx.lineTo(x + cap, end); }
  ctx.stroke();
}

export interface Box { label: string; five: number[] } // min, q1, median, q3, max

export function boxes(label: string, yLabel: string, all: Box[]): HTMLElement {
  const seen = all.flatMap((box) => box.five).filter(Number.isFinite);
  const low = Math.min(...seen);
  const high = Math.max(...seen);
  return plot(label, (width) => ({
    options: {
      ...base(width, 300),
      scales: { x: across(all.length), y: { range: [low - (high - low) * 0.05, high + (high - low) * 0.05 || 1] } },
      axes: [categories(width, all.map((box) => box.label)), axis(yLabel, { size: 66 })],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [(u) => drawEach(u, all.length, (i, x, y, unit) => {
        const [least, q1, median, q3, most] = all[i]!.five as [number, number, number, number, number];
        const { ctx } = u;
        const half = Math.min(unit * 0.3, 46 * devicePixelRatio);
        whisker(ctx, x, y(least), y(q1), half * 0.5);
        whisker(ctx, x, y(q3), y(most), half * 0.5);
        ctx.fillStyle = colour('card');
        ctx.fillRect(x - half, y(q3), 2 * half, y(q1) - y(q3));
        ctx.fillStyle = colour('band');
        ctx.fillRect(x - half, y(q3), 2 * half, y(q1) - y(q3));
        ctx.strokeStyle = colour('plot-1');
        ctx.lineWidth = 2 * devicePixelRatio;
        ctx.strokeRect(x - half, y(q3), 2 * half, y(q1) - y(q3));
        ctx.strokeStyle = colour('plot-2');
        ctx.lineWidth = 3 * devicePixelRatio;
        ctx.beginPath();
        ctx.moveTo(x - half, y(median)); ctx.lineTo(x + half, y(median));
        ctx.stroke();
      })] },
    },
    data: [all.map((_, i) => i), all.map((box) => box.five[2]!)] as uPlot.AlignedData,
  }));
}

export interface Estimated { reports: number; value: number; low: number; high: number }

/** An estimate with its interval as reports come in. */
export function converging(label: string, yLabel: string, points: Estimated[]): HTMLElement {
  const last = points.at(-1)!;
  return plot(label, (width) => ({
    options: {
      ...base(width, 240),
      // With few reports an interval is much wider than what it is about.
      scales: { x: { time: false, distr: 3 }, y: { range: (_, low, high) => [Math.max(low, last.low - 3 * (last.high - last.low)), Math.min(high, last.high + 3 * (last.high - last.low))] } },
      axes: [axis('reports so far', { values: (_, ticks) => ticks.map((t) => (t === null ? '' : short(t))) }), axis(yLabel, { size: 60 })],
      series: [{}, { stroke: colour('plot-1'), width: 2.5, points: { show: true } },
        { stroke: colour('plot-1'), width: 1 }, { stroke: colour('plot-1'), width: 1 }],
      bands: [{ series: [3, 2], fill: colour('band') }],
    },
    data: [points.map((p) => p.reports), points.map((p) => p.value), points.map((p) => p.low), points.map((p) => p.high)],
  }));
}
