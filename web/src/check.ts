// Is everything sound: the ledger, the random source, the log of who did what; for the owner also what is under way.
import { ApiError, call, get, post, type Difference, type Job, type Me, type Status } from './api';
import { fill, h, notice, say, table } from './dom';
import { plural, when } from './words';

interface Verified { sound: boolean; records?: number; answers?: number; signatures?: number; head?: string }
interface AuditLine { n: number; time: string; who: string; what: string; about?: string }
interface WaitingJob extends Job { analyst: string; percent: number }

/** The ledger is what counts: a policy that was changed afterwards changes no budget. */
function differenceList(differences: Difference[]): HTMLElement | null {
  return differences.length === 0 ? null : h('div', {},
    notice('The policy and the ledger differ. The ledger is what counts, until its owner changes it on the machine of the server:', 'bad'),
    h('ul', {}, differences.map((d) => h('li', {}, d.what, h('br'), h('code', {}, d.fix)))));
}

export async function checkPage(me: Me): Promise<HTMLElement> {
  const [status, { lines }] = await Promise.all([get<Status>('status'), get<{ lines: AuditLine[] }>('audit-log?last=200')]);
  const jobs = me.role === 'owner' ? (await get<{ waiting: WaitingJob[] }>('jobs')).waiting : [];
  const fact = (name: string, value: string, bad = false) => h('div', { class: 'fact' }, h('small', {}, name), h('b', {}, bad ? `⚠ ${value}` : value));
  const differing = h('div', { 'aria-live': 'polite', id: 'differences' }, differenceList(status.differences));
  const result = h('div', { 'aria-live': 'polite', id: 'verified' });
  const verify = h('button', { class: 'main', on: { click: () => void run() } }, 'Verify the ledger');
  async function run(): Promise<void> {
    verify.disabled = true;
    fill(result, h('progress', { 'aria-label': 'verifying' }));
    try {
      const v = await post<Verified>('verify');
      fill(result, v.sound
        ? notice(`Sound: ${plural(v.records!, 'record', 'records')}, ${plural(v.answers!, 'answer', 'answers')} and ${plural(v.signatures!, 'signature', 'signatures')} were read again and fit together.`, 'good')
        : notice('NOT sound. Stop the server; its log says which record was changed.', 'bad'),
        v.head ? h('p', {}, 'Head: ', h('code', {}, v.head), h('br'), h('small', {}, 'Write it down: a later history that does not continue it was tampered with.')) : null);
    } catch (e) {
      fill(result, notice(e instanceof ApiError ? e.message : 'This did not work; try again.', 'bad'));
    }
    verify.disabled = false;
  }
  async function reload(): Promise<void> {
    try {
      const { differences } = await post<{ differences: Difference[] }>('reload');
      fill(differing, differenceList(differences));
      say(differences.length === 0 ? 'The policy was read again.' : 'The policy was read again. The ledger differs from it: see below.');
    } catch (e) {
      say(e instanceof ApiError ? `Nothing changed: ${e.message}` : 'This did not work; try again.');
    }
  }
  const healthy = await call('GET', '/healthz').then(() => true, () => false);
  return h('div', {},
    h('div', { class: 'facts' },
      fact('Server', healthy ? 'answers' : 'cannot read its ledger', !healthy),
      fact('Random source', status.random_source, status.random_source !== 'healthy'),
      fact('Questions since the start', String(status.questions)),
      fact('Free repeats', String(status.repeats)),
      fact('Waiting now', String(status.waiting)),
      fact('Running since', when(status.started))),
    h('section', { class: 'card', 'aria-label': 'Ledger' }, h('h2', {}, 'The ledger'),
      h('p', {}, `${plural(status.ledger.records, 'record', 'records')}. Verifying reads all of them again: the chain of hashes, the signatures, every cap, and the bytes of every answer.`),
      h('div', { class: 'row' }, verify, me.role === 'owner' ? h('button', { on: { click: () => void reload() } }, 'Read the policy again') : null), result, differing),
    me.role === 'owner' ? h('section', { class: 'card', 'aria-label': 'Waiting' }, h('h2', {}, 'What waits'),
      jobs.length === 0 ? h('p', { class: 'soft' }, 'None.') :
        table('Waiting', ['who', 'what', 'until', 'engine'], jobs.map((j) => [j.analyst, j.kind, when(j.due), `${j.percent} %`]), [3])) : null,
    h('section', { class: 'card', 'aria-label': 'Audit log' }, h('h2', {}, 'Who did what'),
      h('p', { class: 'soft' }, 'Names and ids, never a question or a value. Each line carries the hash of the one before.'),
      table('Audit log, the newest first', ['line', 'when', 'who', 'what', 'about'],
        [...lines].reverse().map((l) => [String(l.n), when(l.time), l.who, l.what, l.about ?? '']), [0])));
}
