// A person at home: what is asked, what answering gives away, the answer blurred here, and the estimate as it converges.
// The client is WebAssembly, compiled from the sources of the native one (src/local/client).
import iconUrl from './icon.svg';
import wasmUrl from '@client/discreet_client.wasm?url';
import { browserStorage, Client, load, type SurveyTexts } from '@client/page.mjs';
import { ApiError, call, type Estimate, type SurveyFacts } from './api';
import { field, fill, h, notice, say, table } from './dom';
import { gauge } from './gauge';
import { barsWithIntervals, converging, type Estimated } from './plots';
import { themeButton } from './theme';
import { guessText, short } from './words';

const kLifetime = '10'; // what one browser gives away in its life, over all surveys of this site
const main = document.getElementById('main')!;

async function bytesOf(path: string): Promise<Uint8Array> {
  const response = await fetch(path, { credentials: 'omit', cache: 'no-store' });
  if (!response.ok) throw new ApiError(response.status, 'away', 'The survey could not be fetched; try again later.');
  return new Uint8Array(await response.arrayBuffer());
}

function question(facts: SurveyTexts): { element: Node; answer(): string } {
  if (facts.answers === 'choices' && facts.labels.length > 0 && facts.labels.length <= 30) {
    const inputs = facts.labels.map((label) => h('input', { type: 'radio', name: 'answer', value: label, required: true }));
    return {
      element: h('fieldset', {}, h('legend', {}, 'Your true answer'), inputs.map((input, i) => h('label', { class: 'choice' }, input, facts.labels[i]))),
      answer: () => inputs.find((input) => input.checked)?.value ?? '',
    };
  }
  if (facts.answers === 'choices' && facts.labels.length > 0) {
    const select = h('select', { required: true }, facts.labels.map((label) => h('option', { value: label }, label)));
    return { element: field('Your true answer', select), answer: () => select.value };
  }
  const hint = facts.answers === 'numbers' ? `A number from ${facts.low} to ${facts.high}; others are moved to the nearer end.` : '';
  const input = h('input', { required: true, maxlength: 200, inputmode: facts.answers === 'numbers' ? 'decimal' : 'text' });
  return { element: field('Your true answer', input, hint), answer: () => input.value.trim() };
}

/** The estimate so far, and how it got there since this page was opened. */
function watch(path: string): HTMLElement {
  const place = h('div', { id: 'estimate' });
  const trail = new Map<string, Estimated[]>();
  let last = -1;
  const show = (now: Estimate) => {
    const shares = now.shares ?? [{ choice: 'mean', share: now.mean!, interval: now.interval!, simultaneous_interval: now.interval! }];
    for (const s of shares) {
      const seen = trail.get(s.choice) ?? [];
      seen.push({ reports: now.reports, value: s.share, low: s.interval[0], high: s.interval[1] });
      trail.set(s.choice, seen.slice(-200));
    }
    const top = [...shares].sort((a, b) => b.share - a.share)[0]!;
    const bars = shares.slice(0, 60).map((s) => ({ label: s.choice, value: s.share, low: s.interval[0], high: s.interval[1] }));
    const isMean = now.shares === undefined;
    const text = (x: number) => (isMean ? short(x) : `${short(100 * x)} %`);
    const path_ = trail.get(top.choice)!;
    fill(place,
      h('p', { class: 'big', id: 'reports' }, `${now.reports.toLocaleString('en')} ${now.reports === 1 ? 'report' : 'reports'} so far`),
      now.stuffed.map((why) => notice(why, 'bad')),
      barsWithIntervals('Estimated shares with intervals; the table has the numbers', isMean ? 'mean' : 'share', bars),
      table('Estimate, with the interval that holds the truth with 95 % confidence', ['answer', 'estimate', 'interval'],
        shares.slice(0, 60).map((s) => [s.choice, text(s.share), `${text(s.interval[0])} to ${text(s.interval[1])}`]), [1]),
      h('p', { class: 'soft' }, 'Estimates are unbiased: with few reports they may lie below 0 % or above 100 %. Four times as many reports halve the interval.'),
      path_.length > 1 ? h('div', {}, h('h3', {}, `“${top.choice}” since this page was opened`), converging(`Estimate of ${top.choice} as reports come in, from ±${text((path_[0]!.high - path_[0]!.low) / 2)} to ±${text((path_.at(-1)!.high - path_.at(-1)!.low) / 2)}`, isMean ? 'mean' : 'share', path_)) : null);
  };
  const poll = async () => {
    try {
      const now = await call<Estimate>('GET', `${path}/estimate`);
      if (now.reports !== last) show(now);
      last = now.reports;
    } catch (e) {
      if (last < 0 && e instanceof ApiError) fill(place, h('p', { class: 'soft' }, e.code === 'invalid_input' ? 'No reports yet.' : e.message));
    }
  };
  window.setInterval(() => { if (!document.hidden) void poll(); }, 1000);
  window.addEventListener('reported', () => void poll());
  void poll();
  return place;
}

function price(facts: SurveyTexts, answered = false): Node {
  return h('div', {},
    h('p', {}, 'Your device blurs your answer by chance before it leaves. Whoever sees the reply, this server included: ', h('b', {}, guessText(Number(facts.epsilon))), '.'),
    gauge({ label: 'What you may still give away here, in your life', cap: Number(facts.budget), spent: Number(facts.budget) - Number(facts.left), now: answered ? 0 : Math.min(Number(facts.epsilon), Number(facts.left)) }));
}

async function show(id: string): Promise<void> {
  const path = `/api/v1/surveys/${encodeURIComponent(id)}`;
  const [wasm, survey] = await Promise.all([bytesOf(wasmUrl), bytesOf(path)]);
  const client = new Client(await load(wasm), browserStorage(), kLifetime);
  let facts = await client.facts(survey);
  document.title = `${facts.name} · discreet`;
  const asked = question(facts);
  const cost = h('div', {}, price(facts));
  const done = h('div', { 'aria-live': 'polite' });
  const button = h('button', { class: 'main' }, 'Blur it here and send the reply');
  const send = async () => {
    button.disabled = true;
    try {
      const report = await client.report(survey, asked.answer());
      const response = await fetch(`${path}/reports`, {
        method: 'POST', body: report as BodyInit, headers: { 'Content-Type': 'application/octet-stream' }, credentials: 'omit',
      });
      if (!response.ok) throw new Error('The reply could not be sent. Press the button again: it is the same reply, and counts once.');
      const { duplicate } = (await response.json()) as { duplicate: number };
      facts = await client.facts(survey);
      fill(cost, price(facts, true));
      fill(done, notice(duplicate ? 'This device has answered already. Its reply stays the same, whatever you choose now, and counts once.'
        : 'Thank you. A blurred reply was sent; your true answer never left this device.', 'good'),
        h('details', {}, h('summary', {}, 'What was sent'), h('p', {}, h('code', {}, Array.from(report, (b) => b.toString(16).padStart(2, '0')).join(' ')))));
      say('Sent.');
      window.dispatchEvent(new Event('reported'));
    } catch (e) {
      fill(done, notice(e instanceof Error ? e.message : 'This did not work; try again.', 'bad'));
    }
    button.disabled = false;
  };
  fill(main, h('h1', {}, facts.name),
    h('div', { class: 'columns two' },
      h('section', { class: 'card', 'aria-label': 'Your answer' },
        h('form', { on: { submit: (event) => { event.preventDefault(); void send(); } } }, asked.element, cost, button), done,
        h('details', {}, h('summary', {}, 'How can that be useful?'),
          h('p', {}, 'Each reply is partly chance, so it says little about you. Over many people the chance averages out, and its size is known exactly: what remains is the share of each answer, with an interval.'),
          h('p', {}, 'This browser remembers what it answered. Asked again it sends the same reply, so that many askings cannot average your blur away.'))),
      h('section', { class: 'card', 'aria-label': 'Estimate' }, h('h2', {}, 'What all replies say together'), watch(path))));
}

async function choose(): Promise<void> {
  const { surveys } = await call<{ surveys: SurveyFacts[] }>('GET', '/api/v1/surveys');
  const id = new URLSearchParams(location.search).get('id') ?? (surveys.length === 1 ? surveys[0]!.id : null);
  if (id !== null) return show(id);
  fill(main, h('div', { class: 'card middle' }, h('h1', {}, 'Surveys'),
    surveys.length === 0 ? h('p', {}, 'There is no survey here at present.') :
      h('ul', {}, surveys.map((s) => h('li', {}, h('a', { href: `?id=${encodeURIComponent(s.id)}` }, s.name))))));
}

fill(document.getElementById('top')!, h('div', { class: 'bar' },
  h('a', { class: 'brand', href: '/' }, h('img', { src: iconUrl, alt: '' }), 'discreet'), h('nav', { 'aria-label': 'Pages' }), themeButton()));
choose().catch((e: unknown) => fill(main, notice(e instanceof Error ? e.message : 'This page could not be shown; load it again.', 'bad')));
