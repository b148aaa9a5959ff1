// Numbers of privacy in words that need no mathematics.

/** By Bayes: whoever gives a statement about a person the odds 1:1 can get to at most e^epsilon:1. */
export function guessAfter(epsilon: number): number {
  return 1 / (1 + Math.exp(-epsilon));
}

export function percent(share: number): string {
  const shown = share * 100;
  // Never below what is true: 99.96 % is not 100 %, and not 99.9 % either.
  if (shown > 99.9 && shown < 100) return 'almost 100 %';
  return `${Math.ceil(shown * 10 - 1e-9) / 10} %`.replace('.0 %', ' %');
}

export function guessText(epsilon: number, delta = 0): string {
  const but = delta > 0 ? ` (but for a chance of ${short(delta)})` : '';
  return `a 50 % guess about one person becomes at most ${percent(guessAfter(epsilon))}${but}`;
}

/** Four digits that matter. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return 'unbounded';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en');
  if (size < 0.001) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

/** The first number of a text such as "epsilon 0.2 and delta 1e-8". */
export function numberIn(text: string): number {
  const found = /-?\d+(\.\d+)?(e-?\d+)?(\/\d+)?/i.exec(text);
  return found ? asNumber(found[0]) : NaN;
}

/** "3/10" and "0.3" alike. */
export function asNumber(text: string): number {
  const [above, below] = text.split('/');
  return Number(above) / (below === undefined ? 1 : Number(below));
}

/** A price of the ledger without rounding dust: nine digits, never below it. The receipt has it exactly. */
export function priceText(exact: string): string {
  const value = asNumber(exact);
  let shown = Number(value.toPrecision(9));
  if (shown < value) shown = Number((value * (1 + 1e-9)).toPrecision(9));
  return exact.replace(/^0\.0*|\./, '').length <= 9 ? exact : String(shown);
}

/** What is wrong with a price as it was typed; '' if nothing is. Written as the server reads it: 0.5, 1e-3, 1/2. */
export function priceMistake(text: string): string {
  const value = asNumber(text);
  const written = /^\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^\d+\/\d+$/i.test(text);
  return written && value > 0 && value <= 2 ** 40 ? '' : 'The price must be a number above 0, such as 0.5: a question without a price would have no protection.';
}

/** The same for delta, which may be left out. */
export function deltaMistake(text: string): string {
  const value = asNumber(text);
  const written = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^\d+\/\d+$/i.test(text);
  return text === '' || (written && value >= 0 && value < 1) ? '' : 'Delta must be a number from 0 up to but not including 1, such as 1e-6, or nothing.';
}

/** "2026-11-16 17:40:47 UTC" as milliseconds. */
export function millis(utc: string): number {
  return Date.parse(utc.replace(' UTC', 'Z').replace(' ', 'T'));
}

export function when(utc: string): string {
  const time = new Date(millis(utc));
  return Number.isNaN(time.getTime()) ? utc
    : time.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

export function plural(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
