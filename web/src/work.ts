// Work that takes longer than a question: models, publications, audits, attacks. Each is a job with a public deadline, an answer to
// keep and, where there is something to look at, a report.
import { ApiError, call, get, post, remove, type Catalog, type Column, type Job, type Me, type Role } from './api';
import { download, field, fill, h, notice, say, table } from './dom';
import { plural, when } from './words';

interface Price { units: string; price: string; analyst_left: string; repeat: boolean; fits: boolean; columns?: string[]; design?: string }
type Body = Record<string, string | number>;
interface Form { title: string; roles: Role[]; element: HTMLElement; hint: string }

/** What each lesson takes beside table, columns and price: [name, label, hint]. */
const kLessons: Record<string, { words: string; target: boolean; more: [string, string, string][] }> = {
  classify: { words: 'Predict which of several values a column has', target: true, more: [['group', 'Accuracy for each', 'a listed column']] },
  'naive-bayes': { words: 'The same, by counts of each column alone', target: true, more: [['bins', 'Bins', '16']] },
  regress: { words: 'Predict a number by least squares', target: true, more: [['ridge', 'Ridge', '0']] },
  cluster: { words: 'Find centres that rows are near to', target: false, more: [['k', 'How many', '8']] },
  network: { words: 'A small neural network', target: true, more: [['hidden', 'Hidden units', '16'], ['steps', 'Steps', '60']] },
  distribution: { words: 'Histograms and laws of columns', target: false, more: [['bins', 'Bins', '64']] },
  synthesize: { words: 'A made-up table that looks like the data', target: false, more: [['rows', 'Rows', 'as many as there are']] },
};

const kAudits: Record<string, string> = {
  exact: 'Walk all coin tapes: claimed against measured epsilon',
  mutants: 'Planted faults: does the audit catch them?',
  statistical: 'Lower bounds of epsilon from samples alone',
  randomness: 'What bent coins would do',
  conformance: 'A checklist for this policy',
};

const kAttacks: Record<string, string> = {
  reconstruct: 'Recover secret bits from sums over random subsets', membership: 'Tell whether a person was in the study',
  average: 'Ask the same thing many times', difference: 'Ask for everyone, then for everyone but one',
  'floating-point': 'Read the secret off the low bits of the noise', timing: 'Read the noise off the clock',
  kanye: 'Find a rich household in means by ZIP code', weld: 'Link a hospital table to a voter roll',
};

const message = (e: unknown) => (e instanceof ApiError ? e.message : 'This did not work; try again.');
const select = (options: [string, string][]) => h('select', {}, options.map(([value, text]) => h('option', { value }, text)));

export async function workPage(me: Me): Promise<HTMLElement> {
  const asks = me.role !== 'auditor';
  const catalog = asks ? await get<Catalog>('catalog') : { snapshot: '', tables: [], examples: [], workload: '' };
  const list = h('div', { id: 'jobs', 'aria-live': 'polite' });
  const told = h('div', { 'aria-live': 'polite' });
  const seconds = h('input', { class: 'short', inputmode: 'numeric', value: '10' });
  let timer = 0;

  const body = (fields: Body): Body => ({ ...fields, deadline_ms: Math.round(1000 * Number(seconds.value)) });
  async function begin(path: string, fields: Body): Promise<void> {
    try {
      const job = await post<Job>(path, body(fields));
      fill(told, notice(`It is under way. What comes of it appears at ${when(job.due)}, a moment that was fixed before any data was read.`, 'good'));
      say('It is under way.');
    } catch (e) {
      fill(told, notice(message(e), 'bad'));
    }
    await show();
  }

  async function open(job: Job): Promise<void> {
    // A tab of its own, asked for while the click still counts; it can do nothing to this one.
    const tab = window.open('', '_blank');
    try {
      const { path } = await post<{ path: string }>(`jobs/${job.job}/report-link`);
      if (tab) { tab.opener = null; tab.location.replace(path); } else { location.assign(path); }
    } catch (e) {
      tab?.close();
      fill(told, notice(message(e), 'bad'));
    }
  }

  async function keep(job: Job): Promise<void> {
    try {
      const answer = await call<object>('GET', `/api/v1/jobs/${job.job}/answer`);
      download(`${job.kind}.json`, 'application/json', JSON.stringify(answer, null, 1));
    } catch (e) {
      fill(told, notice(message(e), 'bad'));
    }
  }

  async function show(): Promise<void> {
    window.clearTimeout(timer);
    const { jobs } = await get<{ jobs: Job[] }>('jobs');
    const long = jobs.filter((job) => job.kind !== 'query');
    fill(list, long.length === 0 ? h('p', { class: 'soft' }, 'None yet.') :
      table('Your jobs, the newest first', ['what', 'public deadline', 'actions'], long.map((job) => [
        `${job.kind}, ${job.stage}`, when(job.due), h('span', { class: 'row' },
          job.report ? h('button', { class: 'quiet', on: { click: () => void open(job) } }, 'Open the report') : null,
          job.stage === 'done' ? h('button', { class: 'quiet', on: { click: () => void keep(job) } }, 'Download') : null,
          job.stage === 'waiting' ? h('button', { class: 'quiet', title: 'It stays charged', on: { click: () => void remove(`jobs/${job.job}`).then(show) } }, 'Hide') : null)])));
    if (list.isConnected && long.some((job) => job.stage === 'waiting')) timer = window.setTimeout(() => void show(), 1000);
  }

  /** A form with a price that is shown before anything is paid. */
  function paid(path: string, fields: () => Body, inputs: HTMLElement[], verb: string): HTMLElement {
    const priced = h('div', { 'aria-live': 'polite' });
    const go = h('button', { class: 'main', type: 'button', disabled: true, on: { click: () => void begin(path, fields()) } }, verb);
    async function price(): Promise<void> {
      try {
        const p = await post<Price>(`${path}/explain`, fields());
        fill(priced, h('p', { class: 'big' }, p.repeat ? 'Free: it was made before' : `Price: ${p.price}, once, for ${p.units}`),
          h('p', { class: 'soft' }, `${p.analyst_left} is left for you. Everything made from the result afterwards is free.`,
            p.columns ? ` It reads ${p.columns.join(', ')}.` : ''),
          p.design ? h('pre', { tabindex: 0 }, p.design) : null,
          p.fits ? null : notice('That is more than is left. Choose a lower price.', 'bad'));
        go.disabled = !p.fits;
      } catch (e) {
        go.disabled = true;
        fill(priced, notice(message(e), 'bad'));
      }
    }
    return h('form', { on: { submit: (event) => { event.preventDefault(); void price(); }, input: () => { go.disabled = true; } } },
      inputs, h('div', { class: 'row' }, h('button', {}, 'What does it cost?'), go), priced);
  }

  function learnForm(): HTMLElement {
    const tables = catalog.tables.filter((t) => !t.public);
    const task = select(Object.entries(kLessons).map(([name, lesson]) => [name, lesson.words]));
    const where = select(tables.map((t) => [t.name, t.name]));
    const target = h('select');
    const features = h('input', { placeholder: 'all that have a domain', spellcheck: 'false', autocapitalize: 'off' });
    const epsilon = h('input', { class: 'short', inputmode: 'decimal', value: '0.5' });
    const delta = h('input', { class: 'short', inputmode: 'decimal', placeholder: '0' });
    const targetField = field('Column to predict', target);
    const more = h('div', { class: 'row' });
    let extra: [string, HTMLInputElement][] = [];
    const known = (c: Column) => c.may_aggregate && (c.low !== undefined || c.values !== undefined || c.type === 'boolean');
    function choose(): void {
      const lesson = kLessons[task.value]!;
      const columns = (tables.find((t) => t.name === where.value)?.columns ?? []).filter(known);
      fill(target, columns.map((c) => h('option', { value: c.name }, c.name)));
      targetField.hidden = !lesson.target;
      extra = lesson.more.map(([name, , hint]) => [name, h('input', { class: hint.length > 8 ? '' : 'short', placeholder: hint })]);
      fill(more, extra.map(([, input], i) => field(lesson.more[i]![1], input)));
    }
    task.addEventListener('change', choose);
    where.addEventListener('change', choose);
    choose();
    const fields = () => {
      const out: Body = { task: task.value, table: where.value, epsilon: epsilon.value.trim() };
      if (kLessons[task.value]!.target) out['target'] = target.value;
      if (features.value.trim()) out['features'] = features.value.replaceAll(' ', '');
      if (delta.value.trim()) out['delta'] = delta.value.trim();
      for (const [name, input] of extra) if (input.value.trim()) out[name] = input.value.trim();
      return out;
    };
    return paid('learn', fields, [field('What', task), h('div', { class: 'row' }, field('Table', where), targetField),
      field('From columns', features, 'With commas.'), h('div', { class: 'row' }, field('Price (epsilon)', epsilon), field('Delta', delta)), more], 'Learn and pay');
  }

  function publishForm(): HTMLElement {
    const text = h('textarea', { rows: 9, spellcheck: 'false', class: 'code' });
    text.value = catalog.workload;
    return paid('publish', () => ({ workload: text.value }),
      [field('Workload, in YAML', text, 'Tables, marginals, ranges and hierarchies of one table, under one price.')], 'Publish and pay');
  }

  function plain(path: string, label: string, options: [string, string][], name: string, verb: string): HTMLElement {
    const which = select(options);
    return h('form', { on: { submit: (event) => { event.preventDefault(); void begin(path, { [name]: which.value }); } } },
      field(label, which), h('button', { class: 'main' }, verb));
  }

  function replayForm(): HTMLElement {
    const sql = h('textarea', { rows: 3, class: 'code', spellcheck: 'false' });
    const who = h('input', { placeholder: 'remove:patient_id=7', spellcheck: 'false', autocapitalize: 'off' });
    return h('form', { on: { submit: (event) => { event.preventDefault(); void begin('audits/replay', { sql: sql.value, epsilon: '1', neighbour: who.value.trim() }); } } },
      field('Question, in SQL', sql), field('Whose rows are taken away', who), h('button', { class: 'main' }, 'Compare'));
  }

  const all: (Form | null)[] = [
    asks ? { title: 'Learn', roles: ['analyst', 'owner'], element: learnForm(), hint: 'A model from noisy sums: it costs once, and its predictions are free.' } : null,
    asks ? { title: 'Publish', roles: ['analyst', 'owner'], element: publishForm(), hint: 'Many tables at once, consistent with each other, under one price.' } : null,
    { title: 'Audit', roles: ['owner', 'auditor'], element: plain('audits', 'Check', Object.entries(kAudits), 'audit', 'Run it'), hint: 'The compiled code that answers, not a model of it. No data is read, nothing is charged.' },
    { title: 'Replay', roles: ['owner'], element: replayForm(), hint: 'One question on the data and without one person. What it finds depends on the data: it is yours alone.' },
    { title: 'Attack', roles: ['analyst', 'owner', 'auditor'], element: plain('attacks', 'Try to', Object.entries(kAttacks), 'attack', 'Attack'), hint: 'On made-up data: a naive release falls, ours stands, and the theorem says why.' },
  ];
  const forms = all.filter((form): form is Form => form !== null && form.roles.includes(me.role));
  await show();
  return h('div', { class: 'columns work' },
    h('div', {}, forms.map((form, i) => h('details', { class: 'card', open: i === 0 },
      h('summary', {}, h('h2', {}, form.title)), h('p', { class: 'soft' }, form.hint), form.element))),
    h('div', {}, h('section', { class: 'card', 'aria-label': 'Jobs' }, h('h2', {}, 'Jobs'),
      field('Deadline, in seconds from now', seconds, `Everybody may see it, so it tells nothing. What takes longer appears at twice the time.`),
      told, list,
      h('p', { class: 'soft' }, `At most ${plural(3, 'job', 'jobs')} of yours at a time. Hiding one gives nothing back: asking again is free.`))));
}
