// Where the budget went: over time, by analyst, by block; who was refused.
import { get, type Account, type Budget, type LedgerRecord, type Me, type Status } from './api';
import { h, table } from './dom';
import { gauge } from './gauge';
import { plotColour, stepsOverTime } from './plots';
import { asNumber, guessText, millis, short, when } from './words';

function overTime(units: string, records: LedgerRecord[]): Node {
  const paid = records.filter((r) => r.namespace === units && (r.kind === 'charge' || r.kind === 'share') && asNumber(r.amount) > 0);
  if (paid.length === 0) return h('p', { class: 'soft' }, 'Nothing was spent yet.');
  const names = [...new Set(paid.map((r) => r.analyst))].slice(0, 5);
  const sums = new Map(names.map((name) => [name, 0]));
  const times = paid.map((r) => millis(r.time) / 1000);
  times.unshift(times[0]! - 1);
  const lines = names.map((name) => ({ label: name, y: [] as (number | null)[] }));
  lines.forEach((line) => line.y.push(0)); // before the first
  for (const record of paid) {
    if (sums.has(record.analyst)) sums.set(record.analyst, sums.get(record.analyst)! + asNumber(record.amount));
    lines.forEach((line) => line.y.push(sums.get(line.label)!));
  }
  // Times must grow; records of one second are told apart by a millisecond.
  for (let i = 1; i < times.length; ++i) if (times[i]! <= times[i - 1]!) times[i] = times[i - 1]! + 0.001;
  times.push(Math.max(Date.now() / 1000, times.at(-1)! + 1));
  lines.forEach((line) => line.y.push(line.y.at(-1)!));
  const legend = h('div', { class: 'legend' }, names.map((name, i) => {
    const key = h('span', { class: 'key' });
    key.style.background = plotColour(i);
    return h('span', {}, key, name);
  }));
  return h('div', {}, stepsOverTime(`Spending over time by analyst: ${names.map((n) => `${n} ${short(sums.get(n)!)}`).join(', ')}`, 'spent', times, lines), legend);
}

function blocks(total: Account): Node | null {
  const spent = total.blocks ?? [];
  if (spent.length === 0) return null;
  return table('Spent by block', ['block', 'spent', 'of the cap'], spent.slice(-60).map((b) =>
    [b.block, b.spent, gauge({ label: b.block, cap: asNumber(total.cap), spent: asNumber(b.spent) })]), [1]);
}

function namespaceCard(budget: Budget, records: LedgerRecord[], status: Status): HTMLElement {
  const [total, ...analysts] = budget.accounts;
  const refusals = (name: string) => status.refusals.filter((r) => r.analyst === name).reduce((sum, r) => sum + r.count, 0);
  return h('section', { class: 'card', 'aria-label': `Budget of ${budget.namespace}` },
    h('h2', {}, `Budget of ${budget.namespace}`),
    total ? gauge({ label: 'All together', cap: asNumber(total.cap), spent: asNumber(total.spent) }) : null,
    total && budget.notion === 'epsilon' ? h('p', {}, `From all answers together: ${guessText(asNumber(total.spent))}; were everything spent: ${guessText(asNumber(total.cap))}.`) : null,
    overTime(budget.namespace, records),
    table('By analyst', ['analyst', 'cap', 'spent', 'left', 'refused', 'of the cap'], analysts.map((a) =>
      [a.account, a.cap, a.spent, a.left, String(refusals(a.account)), gauge({ label: a.account, cap: asNumber(a.cap), spent: asNumber(a.spent) })]), [1, 2, 3, 4]),
    total ? blocks(total) : null);
}

export async function spendingPage(_: Me): Promise<HTMLElement> {
  const [{ budgets }, { records }, status] = await Promise.all([
    get<{ budgets: Budget[] }>('budget'), get<{ records: LedgerRecord[] }>('history?last=1000'), get<Status>('status')]);
  return h('div', {},
    budgets.map((budget) => namespaceCard(budget, records, status)),
    h('section', { class: 'card', 'aria-label': 'Refusals' }, h('h2', {}, 'Refusals since the start'),
      status.refusals.length === 0 ? h('p', { class: 'soft' }, 'None.') :
        table('Questions that were refused', ['who', 'why', 'how often', 'last'],
          status.refusals.map((r) => [r.analyst, r.code, String(r.count), when(r.last)]), [2])),
    h('p', { class: 'soft' }, 'What was spent stays spent: nobody can give budget back, the owner neither.'));
}
