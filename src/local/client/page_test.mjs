// SPDX-License-Identifier: Apache-2.0
// The browser's client in node: page_test.mjs WASM-FOLDER DISCREET. The native program designs the survey and reads the
// reports. Statistical part: 20,000 people, an interval that fails with probability 10^-9.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, discreet] = process.argv.slice(2);
const { Client, load } = await import(pathToFileURL(resolve(folder, 'page.mjs')).href);
const module_ = await load(readFileSync(join(folder, 'discreet_client.wasm')));

const work = mkdtempSync(join(tmpdir(), 'discreet-'));
const file = (name) => join(work, name);
const run = (...words) =>
  execFileSync(discreet, ['local', ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const survey = (name, epsilon) => {
  run('survey', '--name', name, '--epsilon', epsilon, '--labels', 'no,yes', '--out', file(name));
  return readFileSync(file(name));
};
const box = (memory = null) => ({
  load: async () => memory,
  save: async (bytes) => { memory = bytes; },
  peek: () => memory,
});

try {
  const a = survey('a', '1');
  const b = survey('b', '2');
  const memory = box();
  const client = new Client(module_, memory, '2.5');
  assert.equal((await client.facts(a)).left, '2.5');
  const first = await client.report(a, 'yes');
  const facts = await client.facts(a);
  assert.deepEqual(facts.labels, ['no', 'yes']);
  assert.deepEqual([facts.name, facts.epsilon, facts.answers, facts.left], ['a', '1', 'choices', '1.5']);
  assert.deepEqual(await client.report(a, 'no'), first); // the same report again, whatever the answer
  await assert.rejects(client.report(b, 'no'), (e) => e.status === 4); // the budget
  await assert.rejects(client.report(a.subarray(0, 9), 'no'), (e) => e.status === 2);
  await assert.rejects(new Client(module_, box(), '9').report(a, 'maybe'), (e) => e.status === 2);
  // A page that is loaded again with a larger budget keeps the old one.
  await assert.rejects(new Client(module_, memory, '100').report(b, 'no'), (e) => e.status === 4);
  // Two calls at once on one memory draw once and pay once.
  const shared = box();
  const both = await Promise.all(
    ['yes', 'no'].map((answer) => new Client(module_, shared, '1').report(a, answer)));
  assert.deepEqual(both[0], both[1]);
  const failed = new Client(module_, shared, '1').report(b, 'no'); // and a failure holds up nobody
  assert.deepEqual((await Promise.allSettled([failed, client.report(a, 'no')]))[1].value, first);
  const bent = Uint8Array.from(memory.peek());
  bent[6] ^= 1;
  await assert.rejects(new Client(module_, box(bent), '2.5').report(a, 'no'), (e) => e.status === 5);
  // The native program reads what the page wrote: memory and report.
  writeFileSync(file('memory'), memory.peek());
  assert.match(run('show', file('memory')), /"left": 1.5/);

  const people = 20000;
  const reports = [];
  for (let i = 0; i < people; ++i) {
    reports.push(await new Client(module_, box(), '1').report(a, i % 10 < 3 ? 'yes' : 'no'));
  }
  assert.equal(new Set(reports.map((r) => Buffer.from(r).toString('hex'))).size, people); // ids differ
  writeFileSync(file('reports'), Buffer.concat(reports));
  const [, yes] = JSON.parse(
    run('estimate', '--survey', file('a'), '--confidence', '0.999999999', '--json', file('reports')));
  assert.equal(yes.answer, 'yes');
  assert.ok(yes.share_low <= 0.3 && 0.3 <= yes.share_high, JSON.stringify(yes));
  // In the pages of node there is a crypto; without one nothing is answered.
  console.log(`the browser's client: 20,000 reports, share of yes ${yes.share} (0.3 is true)`);
} finally {
  rmSync(work, { recursive: true });
}
