// The analyst's page: a question, what it will cost and how good its answer will be, and the answer.
import { ApiError, get, post, remove, type Answer, type Budget, type Catalog, type Explanation, type Job, type Me, type Point, type Table } from './api';
import { answerCard } from './answer';
import { field, fill, h, notice, say, table } from './dom';
import { makeEditor } from './editor';
import { gauge } from './gauge';
import { remember } from './memory';
import { errorCurve } from './plots';
import { asNumber, deltaMistake, guessText, numberIn, plural, priceMistake, short } from './words';

const kLeast = 0.01;
const kDelay = 250;

function catalogCard(catalog: Catalog, insert: (text: string) => void): HTMLElement {
  const about = (c: Table['columns'][number]) => (c.low !== undefined ? ` ${c.low} to ${c.high}` : c.values ? ` ${c.values.slice(0, 6).join(', ')}${c.values.length > 6 ? ', …' : ''}` : '');
  return h('section', { class: 'card catalog', 'aria-label': 'What may be asked about' },
    h('h2', {}, 'What may be asked about'),
    h('p', { class: 'soft' }, `The state of the data is called “${catalog.snapshot}”. Everything else cannot be reached.`),
    catalog.tables.map((one) => h('details', {},
      h('summary', {}, one.name, one.public ? h('span', { class: 'soft' }, ' (public)') : ''),
      h('ul', {}, one.columns.map((column) => h('li', {},
        h('button', { class: 'quiet', title: `put ${column.name} into the question`, on: { click: () => insert(column.name) } }, column.name),
        h('span', { class: 'soft' }, `${column.type}${about(column)}`)))))));
}

export async function askPage(me: Me): Promise<HTMLElement> {
  const [catalog, { budgets }] = await Promise.all([get<Catalog>('catalog'), get<{ budgets: Budget[] }>('budget')]);
  let budget = budgets;
  let explanation: Explanation | null = null;
  let points: Point[] = [];
  let timer = 0;
  let flight: AbortController | null = null;

  const before = h('div', { 'aria-live': 'polite' });
  const after = h('div', { id: 'after' });
  const curvePlace = h('div');
  const gaugePlace = h('div');
  const slider = h('input', { type: 'range', min: 0, max: 1000, step: 1, 'aria-label': 'price, from little to much' });
  const epsilon = h('input', { class: 'short', inputmode: 'decimal', value: '0.1' });
  const delta = h('input', { class: 'short', inputmode: 'decimal', placeholder: '0' });
  const rows = h('input', { class: 'short', inputmode: 'numeric', placeholder: 'such as 100000' });
  const error = h('input', { class: 'short', inputmode: 'decimal', placeholder: 'such as 50' });
  const askButton = h('button', { class: 'main' }, 'Ask and pay');
  const solved = h('div', { 'aria-live': 'polite' });

  const own = () => budget.flatMap((b) => b.accounts.filter((a) => a.account === me.name).map((a) => ({ ...a, namespace: b.namespace, notion: b.notion })));
  const most = () => Math.max(1, ...own().map((a) => asNumber(a.cap)));
  const price = () => asNumber(epsilon.value.trim());
  const mistake = () => priceMistake(epsilon.value.trim()) || deltaMistake(delta.value.trim());
  const toSlider = () => { if (!mistake()) slider.value = String(1000 * Math.log(price() / kLeast) / Math.log(most() / kLeast)); };
  const fromSlider = () => { epsilon.value = String(Number((kLeast * (most() / kLeast) ** (Number(slider.value) / 1000)).toPrecision(2))); };
  const asked = () => {
    const body: Record<string, string> = { sql: editor.text(), epsilon: epsilon.value.trim() };
    if (delta.value.trim()) body['delta'] = delta.value.trim();
    return body;
  };

  function showGauge(): void {
    const account = own().find((a) => a.namespace === explanation?.units) ?? own()[0];
    if (!account) return fill(gaugePlace, notice('The owner gave you no budget yet.'));
    if (mistake()) return fill(gaugePlace, notice(mistake(), 'bad'));
    const cost = explanation?.repeat ? 0 : explanation ? numberIn(explanation.price) : price();
    const left = asNumber(account.left);
    const more = cost > 0 ? Math.floor(left / cost + 1e-9) : Infinity;
    fill(gaugePlace, gauge({ label: `Your budget for ${account.namespace}`, cap: asNumber(account.cap), spent: asNumber(account.spent), now: Math.min(cost || 0, left) }),
      h('p', { class: 'big', id: 'remaining' }, explanation?.repeat ? 'This one is free: it was answered before' : `${plural(more, 'question', 'questions')} like this ${more === 1 ? 'is' : 'are'} left`),
      h('p', { class: 'soft' }, `${account.notion} ${short(left)} of ${account.cap} is left, for life.`,
        account.notion === 'epsilon' && Number.isFinite(cost) ? ` After this question, of all that you have learnt: ${guessText(asNumber(account.spent) + cost)}.` : ''));
  }

  function showCurve(): void {
    const known = points.filter((p) => p.half_width !== null && p.half_width > 0);
    if (known.length < 2) return fill(curvePlace);
    const x = known.map((p) => Number(p.epsilon));
    const y = known.map((p) => p.half_width as number);
    fill(curvePlace, errorCurve({ label: `Error against price: from ±${short(y[0]!)} at ${short(x[0]!)} to ±${short(y.at(-1)!)} at ${short(x.at(-1)!)}`, x, y },
      () => ({ x: price(), y: errorAt(price()) })));
  }

  function errorAt(at: number): number {
    const known = points.filter((p) => p.half_width !== null).map((p) => [Number(p.epsilon), p.half_width as number] as const);
    for (let i = 1; i < known.length; ++i) {
      const [x0, y0] = known[i - 1]!;
      const [x1, y1] = known[i]!;
      if (at >= x0 && at <= x1) return y0 * (y1 / y0) ** ((Math.log(at) - Math.log(x0)) / (Math.log(x1) - Math.log(x0)));
    }
    return NaN;
  }

  function showExplanation(e: Explanation): void {
    const cost = numberIn(e.price);
    const foreseen = errorAt(price());
    fill(before,
      h('p', { class: 'big', id: 'price' }, e.repeat ? 'Free: this was answered before' : `Price: ${e.price}`),
      Number.isFinite(foreseen) ? h('p', { id: 'foreseen' }, `Expect the first value to be right to about ±${Number(foreseen.toPrecision(2)).toLocaleString('en')} (with 95 % confidence).`) : null,
      h('p', {}, `In words: ${guessText(cost)}, whoever looks, whatever they know already.`),
      e.fits ? null : notice(`That is more than you have left (${e.analyst_left}). Choose a lower price.`, 'bad'),
      e.notes.map((text) => notice(text)),
      h('details', {}, h('summary', {}, 'How it will be measured'),
        table('Measurements', ['what', 'expected error', 'price'], e.steps.map((s) => [s.measurement, s.error, s.price])),
        h('p', { class: 'soft' }, `Groups: ${e.keys}. Counts ${e.bounds}. Protected: one of ${e.units}, ${e.neighbours}.`)));
    askButton.disabled = !e.fits;
    askButton.textContent = e.repeat ? 'Ask again, free' : `Ask and pay ${e.price}`;
  }

  async function look(): Promise<void> {
    flight?.abort();
    const mine = flight = new AbortController();
    explanation = null;
    askButton.disabled = true;
    askButton.textContent = 'Ask and pay';
    if (mistake()) { // nothing is asked of the server, and nothing is said about a price that is none
      points = [];
      fill(before, notice(mistake(), 'bad'));
      showCurve();
      return showGauge();
    }
    if (editor.text().trim() === '') {
      points = [];
      fill(before, h('p', { class: 'soft' }, 'Write a question, or take one of the examples: its price and its error show here, before anything is paid.'));
      showCurve();
      return showGauge();
    }
    try {
      const body = asked();
      const range = { from: String(Math.min(kLeast, price())), to: String(Math.max(most(), price())) };
      const curved = post<{ points: Point[] }>('curve', { ...body, ...range, ...(rows.value.trim() ? { rows: rows.value.trim() } : {}) }, mine.signal)
        .then((got) => { points = got.points; return ''; }, (e) => { points = []; return e instanceof ApiError ? e.message : ''; });
      explanation = await post<Explanation>('explain', body, mine.signal);
      const why = await curved;
      if (flight !== mine) return;
      if (points.length) points = await finer(points, body, mine.signal);
      if (flight !== mine) return;
      showExplanation(explanation);
      if (/how many rows/.test(why)) before.append(notice('The error of an average depends on how many rows there are. Say about how many (a public guess) below.'));
    } catch (e) {
      if (mine.signal.aborted) return;
      fill(before, notice(e instanceof ApiError ? e.message : 'This did not work; try again.', 'bad'));
    }
    showCurve();
    showGauge();
  }

  /** The server's points are evenly spaced; more of them where the curve is steep. */
  async function finer(coarse: Point[], body: object, signal: AbortSignal): Promise<Point[]> {
    const second = coarse[1];
    if (!second) return coarse;
    const more = { from: String(Math.min(kLeast, price())), to: second.epsilon, ...(rows.value.trim() ? { rows: rows.value.trim() } : {}) };
    try {
      const got = await post<{ points: Point[] }>('curve', { ...body, ...more }, signal);
      return [...got.points.slice(0, -1), ...coarse.slice(1)];
    } catch {
      return coarse;
    }
  }

  function later(): void {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void look(), kDelay);
  }

  /** The least price whose expected error is at most what was asked for: found on the curve, costs nothing. */
  async function solve(): Promise<void> {
    const wanted = Number(error.value);
    if (!(wanted > 0)) return fill(solved, notice('Say how large an error you accept, such as 50.', 'bad'));
    const body = { ...asked(), ...(rows.value.trim() ? { rows: rows.value.trim() } : {}) };
    let from = 0.001;
    let to = 100;
    try {
      for (let round = 0; round < 4; ++round) {
        const got = (await post<{ points: Point[] }>('curve', { ...body, from: String(from), to: String(to) })).points;
        const at = got.findIndex((p) => p.half_width !== null && p.half_width <= wanted);
        if (at < 0) return fill(solved, notice(`Even for ${to} the error would be larger. Ask for less detail.`, 'bad'));
        to = Number(got[at]!.epsilon) * 1.001 || to;
        if (at === 0) break;
        from = Number(got[at - 1]!.epsilon) || from;
      }
      const found = Math.ceil(to * 1000) / 1000;
      epsilon.value = String(found);
      toSlider();
      fill(solved, notice(`For an error of ±${short(wanted)} the price is about ${found}.`, 'good'));
      await look();
    } catch (e) {
      fill(solved, notice(e instanceof ApiError ? e.message : 'This did not work; try again.', 'bad'));
    }
  }

  async function ask(): Promise<void> {
    if (askButton.disabled) return;
    const sql = editor.text();
    askButton.disabled = true;
    let job: Job | null = null;
    const hide = h('button', { on: { click: () => { if (job) void remove(`jobs/${job.job}`); } } }, 'Hide the answer');
    try {
      const sent = await post<Job | Answer>('query', { ...asked(), wait: false, request_id: requestId() });
      let answer: Answer;
      if ('job' in sent) {
        job = sent;
        const seconds = Math.max(1, Math.ceil((sent.due_ms - Date.now()) / 1000));
        fill(after, h('section', { class: 'card' },
          h('p', {}, `Paid. The answer appears at a moment that was fixed before any data was read, in about ${plural(seconds, 'second', 'seconds')}, so that the time it takes tells nothing.`),
          h('progress', { 'aria-label': 'waiting for the answer' }), ' ', hide,
          h('p', { class: 'soft' }, 'Hiding it gives nothing back: it stays paid, and asking again is free.')));
        answer = await get<Answer>(`jobs/${sent.job}/answer`);
      } else {
        answer = sent;
      }
      remember(answer.charge, sql);
      fill(after, answerCard(answer, sql));
      say(answer.repeated ? 'Answered again, free.' : 'Your answer is there.');
    } catch (e) {
      const refused = e instanceof ApiError && e.code === 'budget';
      fill(after, h('section', { class: 'card', id: 'refused', 'aria-label': refused ? 'Refused' : 'No answer' }, h('h2', {}, refused ? 'Refused' : 'No answer'),
        notice(e instanceof ApiError ? e.message : 'This did not work; ask again: what was paid for is not paid for twice.', 'bad')));
    }
    budget = (await get<{ budgets: Budget[] }>('budget')).budgets;
    await look();
    after.scrollIntoView({ block: 'nearest' });
  }

  const editor = makeEditor(catalog, later, () => void ask());
  slider.addEventListener('input', () => { fromSlider(); later(); });
  epsilon.addEventListener('input', () => { toSlider(); later(); });
  for (const input of [delta, rows]) input.addEventListener('input', later);
  askButton.addEventListener('click', () => void ask());
  toSlider();
  void look();

  return h('div', { class: 'columns ask' },
    h('div', {},
      h('section', { class: 'card', 'aria-label': 'Question' },
        h('h2', {}, 'Your question, in SQL'), editor.element,
        h('div', { class: 'chips', role: 'group', 'aria-label': 'Examples' }, catalog.examples.map((text) =>
          h('button', { on: { click: () => { editor.set(text); editor.focus(); } } }, text))),
        before, askButton),
      after),
    h('div', {},
      h('section', { class: 'card', 'aria-label': 'Price and error' },
        h('h2', {}, 'Price and error'),
        gaugePlace,
        h('div', { class: 'row' }, field('Price (epsilon)', epsilon), field('Delta, to find groups', delta)),
        slider, h('div', { class: 'legend' }, h('span', {}, '← cheaper, more noise'), h('span', {}, 'dearer, more exact →')),
        curvePlace,
        h('form', { class: 'row', on: { submit: (event) => { event.preventDefault(); void solve(); } } },
          field('I accept an error of ±', error), h('button', {}, 'Find the price')),
        solved,
        h('details', {}, h('summary', {}, 'More'), field('About how many rows', rows, 'For the error of an average: a public guess.'))),
      catalogCard(catalog, (text) => editor.insert(text))));
}

function requestId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, '0')).join('');
}
