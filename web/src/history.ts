// Records of the ledger with their receipts.
import { get, type LedgerRecord, type Me } from './api';
import { download, h, table } from './dom';
import { questions } from './memory';
import { priceText, when } from './words';

export async function historyPage(me: Me): Promise<HTMLElement> {
  const { records } = await get<{ records: LedgerRecord[] }>('history?last=1000');
  const asked = questions();
  const shown = records.filter((r) => r.kind !== 'answer').reverse();
  const answered = new Set(records.filter((r) => r.kind === 'answer').map((r) => r.about));
  const all = me.role !== 'analyst';
  const receipt = (r: LedgerRecord) => h('button', {
    class: 'quiet', 'aria-label': `Receipt of record ${r.record}`,
    on: { click: () => download(`receipt-${r.record}.json`, 'application/json', JSON.stringify(r, null, 1)) },
  }, 'Receipt');
  return h('section', { class: 'card' },
    h('p', { class: 'soft' }, all ? 'All records, the newest first. A receipt names the record by its hash; whoever checks the ledger can find it, and nobody can take it out unseen.'
      : 'What you asked and paid for, the newest day first. By the number in a receipt the owner finds the purchase in the ledger.'),
    records.length === 0 ? h('p', {}, 'Nothing yet.') :
      table('History', [all ? 'who' : '', 'when', 'what', 'price', 'question or noise', 'receipt'].filter((t, i) => i > 0 || t !== ''),
        shown.map((r) => [
          ...(all ? [r.analyst || 'the owner'] : []), all ? when(r.time) : r.time,
          r.kind === 'charge' && !answered.has(r.record) ? 'charge, no answer yet' : r.kind,
          r.amount === '0' ? '' : `${priceText(r.amount)}${r.delta === '0' ? '' : `, delta ${priceText(r.delta)}`}`,
          h('code', {}, asked[String(r.receipt)] ?? r.detail), receipt(r)])));
}
