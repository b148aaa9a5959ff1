// What came back: a table with intervals, a drawing of it, downloads, and the receipt.
import type { Answer, Cell, Sheet } from './api';
import { download, h, notice, table, type Child } from './dom';
import { barsWithIntervals, boxes } from './plots';
import { guessText } from './words';

const value = (cell: Cell | undefined): string | null => (Array.isArray(cell) ? cell[0] : cell ?? null);
const ends = (cell: Cell | undefined): [string | null, string | null] => (Array.isArray(cell) ? [cell[1], cell[2]] : [null, null]);
const number = (text: string | null): number | null => (text === null ? null : Number(text));

function shownCell(cell: Cell | undefined, hasInterval: boolean): Child {
  const main = value(cell) ?? 'none';
  if (!hasInterval) return main;
  const [low, high] = ends(cell);
  return [h('b', {}, main), h('div', { class: 'interval' }, `${low ?? 'unbounded'} to ${high ?? 'unbounded'}`)];
}

function keysOf(sheet: Sheet, row: Cell[]): string {
  const keys = sheet.columns.flatMap((column, i) => (column.key ? [value(row[i]) ?? 'none'] : []));
  return keys.join(sheet.drawing === 'histogram' ? ' to ' : ', ') || 'all';
}

function drawing(sheet: Sheet): Node[] {
  if (sheet.rows.length === 0) return [];
  if (sheet.drawing === 'boxplot') {
    const five = ['min', 'q1', 'median', 'q3', 'max'].map((name) => sheet.columns.findIndex((c) => c.name === name));
    if (five.every((i) => i >= 0)) {
      const all = sheet.rows.map((row) => ({ label: keysOf(sheet, row), five: five.map((i) => Number(value(row[i]))) }));
      return [boxes('Box plot: from minimum to maximum with quartiles and median; the table has the numbers', '', all)];
    }
  }
  const plots: Node[] = [];
  sheet.columns.forEach((column, i) => {
    if (!column.interval || sheet.rows.length < 2 || sheet.rows.length > 400 || plots.length === 3) return;
    const bars = sheet.rows.flatMap((row) => {
      const height = number(value(row[i]));
      const [low, high] = ends(row[i]);
      return height === null ? [] : [{ label: keysOf(sheet, row).replace(/ to .*/, sheet.drawing === 'histogram' ? '' : '$&'), value: height, low: number(low), high: number(high) }];
    });
    plots.push(barsWithIntervals(
      `${sheet.drawing === 'histogram' ? 'Histogram' : 'Bars'} of ${column.name} with intervals; the table has the numbers`,
      column.name, bars, sheet.drawing === 'histogram'));
  });
  return plots;
}

function quoted(text: string): string {
  // A leading =, +, - or @ of a text would be a formula to a spreadsheet.
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvOf(sheet: Sheet): string {
  const head = sheet.columns.flatMap((c) => (c.interval ? [c.name, `${c.name}_low`, `${c.name}_high`] : [c.name]));
  const lines = sheet.rows.map((row) => sheet.columns.flatMap((c, i) => {
    const [low, high] = ends(row[i]);
    return c.interval ? [value(row[i]), low, high] : [value(row[i])];
  }));
  return [head, ...lines].map((line) => line.map((cell) => quoted(cell ?? '')).join(',')).join('\r\n') + '\r\n';
}

export function answerCard(answer: Answer, sql: string): HTMLElement {
  const { answer: sheet } = answer;
  const name = `answer-${answer.charge}`;
  const price = Number(sheet.epsilon);
  const marks = sheet.rows.flatMap((row, i) => {
    const texts = [sheet.small[i] ? 'the noise is more than half of a value' : '', sheet.clipped[i] ?? ''].filter(Boolean);
    return texts.length ? [h('li', {}, `${keysOf(sheet, row)}: ${texts.join('; ')}`)] : [];
  });
  return h('section', { class: 'card', 'aria-label': 'Answer', id: 'answer' },
    h('h2', {}, 'Answer'),
    h('p', {}, h('code', {}, sql)),
    answer.repeated ? notice('Asked before: the same answer again, for free.', 'good') : null,
    answer.notes.map((text) => notice(text)),
    drawing(sheet),
    table(`Each value with the interval that holds the truth with ${Number(sheet.confidence) * 100} % confidence`,
      sheet.columns.map((c) => c.name), sheet.rows.map((row) => row.map((cell, i) => shownCell(cell, sheet.columns[i]!.interval))),
      sheet.columns.flatMap((c, i) => (c.number || c.interval ? [i] : []))),
    sheet.rows.length === 0 ? notice('No group was large enough to be shown.') : null,
    marks.length ? h('details', {}, h('summary', {}, 'Rows to read with care'), h('ul', {}, marks)) : null,
    h('h3', {}, 'What it cost'),
    h('p', {}, `${sheet.notion} ${sheet.epsilon}${sheet.delta === '0' ? '' : ` and delta ${sheet.delta}`}, receipt ${answer.charge}. `,
      sheet.notion === 'epsilon' ? `In words: ${guessText(price, Number(sheet.delta))}.` : ''),
    h('details', {}, h('summary', {}, 'How it was made'),
      h('ul', {}, [...answer.made, ...sheet.notes].map((text) => h('li', {}, text)), sheet.noise.map((text) => h('li', {}, h('code', {}, text))))),
    h('div', { class: 'row' },
      h('button', { on: { click: () => download(`${name}.csv`, 'text/csv', csvOf(sheet)) } }, 'Download CSV'),
      h('button', { on: { click: () => download(`${name}.json`, 'application/json', JSON.stringify({ sql, ...answer }, null, 1)) } }, 'Download JSON')));
}
