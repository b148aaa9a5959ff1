// A clinic in a folder of its own, served by the real program, and Chromium to visit it. ./dev says where the program is:
// DISCREET (build/bin/discreet), and CHROMIUM (/usr/bin/chromium).
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const discreet = process.env.DISCREET ?? '../build/bin/discreet';

// 600 people; the name of a ward is an attack on whoever shows it as HTML.
export const kAttack = '<img src=x onerror=alert(1)>';
const kPolicy = `version: 1
engine: duckdb
snapshot: "2026-11"
units:
  people:
    budget: {epsilon: 3, delta: 1e-6}
    analysts: {ann: {epsilon: 1, delta: 1e-6}, bob: {epsilon: 1}}
tables:
  visits:
    source: visits.csv
    unit: {namespace: people, column: person}
    columns:
      ward: {type: text, values: [north, south, "${kAttack}"]}
      age:  {type: integer, range: [0, 100]}
      cost: {type: integer, range: [0, 1000]}
      day:  {type: date, range: [2026-01-01, 2026-06-30]}
      at:   {type: timestamp, range: [2026-01-01, 2026-06-30], step: 15 min}
      paid: {type: decimal, range: [0, 9.5], step: 0.5}
      late: {type: boolean}
`;

export class House {
  static async open({ survey = true, answerMs = 300 } = {}) {
    const house = new House();
    house.folder = mkdtempSync(join(tmpdir(), 'discreet-web-'));
    const lines = Array.from({ length: 600 }, (_, i) =>
      `${i},${['north', 'south', `"${kAttack}"`][i % 3]},${(i * 7) % 100},${(i * 13) % 1000},2026-02-0${1 + (i % 9)},2026-02-0${1 + (i % 9)} 10:${10 + (i % 50)}:00,${i % 10},${i % 2 === 0}`);
    writeFileSync(house.path('visits.csv'), ['person,ward,age,cost,day,at,paid,late', ...lines, ''].join('\n'));
    writeFileSync(house.path('policy.yaml'), kPolicy);
    const where = ['--ledger', house.path('ledger'), '--key', house.path('key'), '--witness', house.path('witness')];
    house.run('ledger', 'init', '--policy', house.path('policy.yaml'), ...where);
    const words = ['serve', '--policy', house.path('policy.yaml'), ...where, '--listen', '127.0.0.1:0', '--answer-ms', String(answerMs), '--tick-ms', '20'];
    if (survey) {
      house.run('local', 'survey', '--name', 'Do you like the new ward?', '--epsilon', '1', '--labels', 'no,yes', '--out', house.path('ward.survey'));
      words.push('--survey', house.path('ward.survey'));
    }
    house.server = spawn(discreet, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    const said = await new Promise((found, lost) => {
      let text = '';
      house.server.stderr.on('data', (bytes) => { text += bytes; house.log = text; if (text.includes('; SIG')) found(text); });
      house.server.on('exit', () => lost(new Error(`the server ended: ${text}`)));
    });
    house.url = /serving on (\S+);/.exec(said)[1];
    house.passwords = { owner: /password {2}(\S+)/.exec(said)[1] };
    const token = await house.logIn('owner');
    for (const [name, role] of [['ann', 'analyst'], ['bob', 'analyst'], ['audit', 'auditor']]) {
      const made = await house.api('POST', 'accounts', { name, role }, token);
      house.passwords[name] = made.password;
    }
    house.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
    return house;
  }

  path(name) { return join(this.folder, name); }
  run(...words) { return execFileSync(discreet, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }); }

  /** Reports of so many invented people, 30 % of whom say yes, by the native client. */
  invent(people) {
    const answers = Array.from({ length: people }, (_, i) => (i % 10 < 3 ? 'yes' : 'no')).join('\n') + '\n';
    const bytes = execFileSync(discreet, ['local', 'report', '--survey', this.path('ward.survey'), '--simulate'], { input: answers, stdio: ['pipe', 'pipe', 'ignore'] });
    return bytes;
  }

  async api(method, path, body, token) {
    const response = await fetch(`${this.url}/api/v1/${path}`, {
      method, body: body && JSON.stringify(body),
      headers: { ...(body && { 'Content-Type': 'application/json' }), ...(token && { Authorization: `Bearer ${token}` }) },
    });
    return response.json();
  }
  async logIn(name) { return (await this.api('POST', 'login', { name, password: this.passwords[name] })).token; }

  /** A page that fails the test when it logs an error: a broken content security policy shows there. */
  async page(options = {}) {
    const context = await this.browser.newContext({ acceptDownloads: true, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20000);
    page.complaints = [];
    page.on('console', (message) => { if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) page.complaints.push(`${message.text()} (${JSON.stringify(message.location())})`); });
    page.on('pageerror', (error) => page.complaints.push(String(error)));
    page.on('dialog', (dialog) => { page.dialogs = (page.dialogs ?? 0) + 1; void dialog.accept(); });
    return page;
  }

  /** Logged in as one of the house's people. */
  async enter(name, options = {}) {
    const page = await this.page(options);
    await page.goto(this.url);
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(this.passwords[name]);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('navigation').getByRole('link').first().waitFor();
    return page;
  }

  async close() {
    await this.browser?.close();
    if (this.server && this.server.exitCode === null) {
      this.server.kill('SIGTERM');
      await new Promise((done) => { this.server.on('exit', done); });
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Where `DISCREET_SHOTS` names a folder, screenshots are left there. */
export async function shot(page, name, options = {}) {
  if (!process.env.DISCREET_SHOTS) return;
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(process.env.DISCREET_SHOTS, `${name}.png`), fullPage: true, caret: 'initial', ...options });
}

/** As a person does: locator.fill() makes Chromium put style attributes into what is edited, which the policy refuses. */
export async function writeSql(page, sql) {
  // Not by a click: on a slow machine a list of completions may lie over the words.
  await page.getByRole('textbox', { name: 'Your question in SQL' }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(sql);
}
