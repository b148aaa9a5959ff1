// One story from login to refusal, then one visit for each page and role. ./dev test runs it.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { faultsOf } from './axe.mjs';
import { House, kAttack, shot, writeSql } from './house.mjs';

const kCount = 'SELECT COUNT(*) FROM visits';
const kByWard = 'SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward';

async function write(page, sql, epsilon) {
  await writeSql(page, sql);
  await page.getByLabel('Price (epsilon)').fill(epsilon);
}

async function theStory(house) {
  const page = await house.page();
  const started = Date.now();
  await page.goto(house.url);
  await page.getByLabel('Name').waitFor();
  const interactive = await page.evaluate(() => performance.getEntriesByType('navigation')[0].domInteractive);
  console.log(`interactive after ${Math.round(interactive)} ms (seen from here ${Date.now() - started} ms)`);
  await shot(page, 'login');

  // A wrong password, then the right one.
  await page.getByLabel('Name').fill('ann');
  await page.getByLabel('Password').fill('wrong-password');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Not this name and password').waitFor();
  await page.getByLabel('Password').fill(house.passwords.ann);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Ask', exact: true }).waitFor();

  // Completion knows the policy.
  const editor = page.getByRole('textbox', { name: 'Your question in SQL' });
  await editor.click();
  await page.keyboard.type('SELECT co');
  await page.getByRole('option', { name: /COUNT\(\*\)/ }).first().waitFor();
  await page.keyboard.press('Escape');

  // Before: price, error, curve, gauge; the slider moves the price; an error is solved for.
  await write(page, kCount, '0.4');
  await page.getByText('Price: epsilon 0.4').waitFor();
  await page.locator('#foreseen').waitFor();
  assert.match(await page.locator('#remaining').innerText(), /^2 questions like this are left/);
  assert.match(await page.getByText(/In words/).first().innerText(), /a 50 % guess about one person becomes at most 59\.9 %/);
  await page.locator('.plot canvas').first().waitFor();
  await page.getByLabel('I accept an error of').fill('10');
  await page.getByRole('button', { name: 'Find the price' }).click();
  await page.getByText(/For an error of ±10 the price is about 0\.(2|3)/).waitFor();
  const slider = page.getByRole('slider');
  const before = await page.getByLabel('Price (epsilon)').inputValue();
  await slider.focus();
  await page.keyboard.press('End');
  assert.notEqual(await page.getByLabel('Price (epsilon)').inputValue(), before);
  await write(page, kByWard, '0.4');
  await page.getByText('Price: epsilon 0.4').waitFor();
  await shot(page, 'ask');

  // What is declared shows as it is written in the policy.
  const panel = page.getByRole('region', { name: 'What may be asked about' });
  await panel.getByText('visits').click();
  for (const words of ['date 2026-01-01 to 2026-06-30', 'timestamp 2026-01-01 00:00:00 to 2026-06-30 00:00:00', 'decimal 0 to 9.5', 'integer 0 to 1000'])
    await panel.getByText(words).waitFor();
  // A price that is none is refused in the page: no price, no gauge, nothing to press, and never "free".
  for (const none of ['-1', '0', 'NaN', '1e999', '', 'cheap', '1,5', '1/0', '-1/2', '0x10', 'Infinity']) {
    await page.getByLabel('Price (epsilon)').fill(none);
    await page.getByRole('alert').filter({ hasText: 'The price must be a number above 0' }).first().waitFor();
    const shown = await page.locator('main').innerText();
    assert.ok(!/free|left \d+ %|are left|Price: /.test(shown.replace(/Delta[^]*$/, '')), `price ${none}: ${shown}`);
    assert.ok(await page.getByRole('button', { name: /^Ask and pay/ }).isDisabled());
  }
  await page.getByLabel('Price (epsilon)').fill('0.4');
  await page.getByLabel('Delta, to find groups').fill('2');
  await page.getByRole('alert').filter({ hasText: 'Delta must be a number' }).first().waitFor();
  await page.getByLabel('Delta, to find groups').fill('');
  // Every example that is offered has a price.
  const chips = await page.getByRole('group', { name: 'Examples' }).getByRole('button').all();
  assert.ok(chips.length >= 8);
  for (const chip of chips) {
    await page.getByLabel('Price (epsilon)').fill('0.3');
    await chip.click();
    await page.getByText('Price: epsilon 0.3').waitFor();
    await page.getByLabel('Price (epsilon)').fill('-1');
    await page.getByText('Price: epsilon 0.3').waitFor({ state: 'detached' });
  }
  await write(page, kByWard, '0.4');
  await page.getByText('Price: epsilon 0.4').waitFor();

  // After: the table with intervals, bars, a download.
  await page.getByRole('button', { name: /^Ask and pay epsilon 0.4/ }).click();
  const answer = page.getByRole('region', { name: 'Answer', exact: true });
  await answer.waitFor();
  await answer.locator('.plot canvas').waitFor();
  assert.equal(await answer.locator('tbody tr').count(), 3);
  assert.ok((await answer.innerText()).includes(kAttack)); // as text
  await shot(page, 'answer');
  const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
  const text = readFileSync(await csv.path(), 'utf8');
  assert.match(text, /^ward,n,n_low,n_high\r\nnorth,-?\d+,-?\d+,-?\d+\r\n/);

  // Again: free. Then one that the budget does not have: refused, and nothing is charged.
  await page.getByText('Free: this was answered before').waitFor();
  await page.getByRole('button', { name: 'Ask again, free' }).click();
  await page.getByText('Asked before: the same answer again').waitFor();
  await write(page, kCount, '0.7');
  await page.getByText(/That is more than you have left/).waitFor();
  assert.ok(await page.getByRole('button', { name: /^Ask and pay/ }).isDisabled());
  const token = await house.logIn('ann');
  const refused = await house.api('POST', 'query', { sql: kCount, epsilon: '0.7' }, token);
  assert.equal(refused.error, 'budget');
  assert.ok(!/namespace/.test(refused.message), refused.message); // what others have left is not ann's to know
  await write(page, 'SELECT secret FROM visits', '0.1');
  await page.getByRole('alert').filter({ hasText: /secret/ }).waitFor();

  // History with receipts.
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('cell', { name: kByWard }).waitFor();
  const [receipt] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^Receipt of/ }).first().click()]);
  const paid = JSON.parse(readFileSync(await receipt.path(), 'utf8'));
  assert.ok(Number.isSafeInteger(paid.receipt) && paid.receipt > 0, JSON.stringify(paid));
  assert.equal(paid.hash, undefined); // it follows from what others asked

  await page.getByRole('button', { name: 'Log out ann' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  assert.equal(page.dialogs ?? 0, 0); // nothing of the data ran
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

const kVisits = {
  ann: [['Ask', 'Your question, in SQL'], ['Work', 'A model from noisy sums'], ['History', 'By the number in a receipt'], ['Surveys', 'nobody is trusted'], ['My account', 'Change your password']],
  owner: [['Ask', 'Your question, in SQL'], ['Work', 'Replay'], ['History', 'All records'], ['Spending', 'Budget of people'], ['Check', 'The ledger'], ['People', 'New account'], ['Surveys', 'Do you like'], ['My account', 'Change your password']],
  audit: [['Work', 'The compiled code'], ['History', 'All records'], ['Spending', 'By analyst'], ['Check', 'Verify the ledger'], ['People', 'Accounts'], ['Surveys', 'Do you like'], ['My account', 'auditor']],
};

async function visitAll(house, name) {
  const page = await house.enter(name, { colorScheme: name === 'owner' ? 'dark' : 'light' });
  const links = await page.getByRole('navigation').getByRole('link').allInnerTexts();
  assert.deepEqual(links, kVisits[name].map(([title]) => title)); // and no other
  for (const [title, words] of kVisits[name]) {
    await page.getByRole('navigation').getByRole('link', { name: title }).click();
    await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor();
    await page.getByText(words).first().waitFor();
    await shot(page, `${name}-${title.toLowerCase().replaceAll(' ', '-')}`);
    const faults = await faultsOf(page);
    assert.deepEqual(faults, [], `${name} ${title}`);
    if (title === 'Check') {
      await page.getByText('healthy').waitFor();
      await page.getByRole('button', { name: 'Verify the ledger' }).click();
      await page.getByText(/^Sound: \d+ records/).waitFor();
    }
    if (title === 'Work' && name === 'audit') await anAudit(page);
    if (title === 'Spending') await page.getByRole('cell', { name: 'budget', exact: true }).waitFor(); // ann's refusal
  }
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

/** An audit as a job with a report in a tab of its own, which may do nothing. */
async function anAudit(page) {
  await page.getByLabel('Deadline, in seconds from now').fill('1');
  await page.getByLabel('Check', { exact: true }).selectOption('conformance');
  await page.getByRole('button', { name: 'Run it' }).click();
  const opened = page.context().waitForEvent('page');
  await page.getByRole('button', { name: 'Open the report' }).click();
  const report = await opened;
  await report.getByRole('heading', { name: 'A checklist for this policy' }).waitFor();
  assert.match(report.url(), /\/reports\//);
  await shot(report, 'report');
  await report.close();
}

async function aPersonAtHome(house) {
  const page = await house.page({ viewport: { width: 390, height: 800 }, hasTouch: true });
  await page.goto(`${house.url}/survey.html`);
  await page.getByRole('heading', { name: 'Do you like the new ward?' }).waitFor();
  await page.getByText(/a 50 % guess about one person becomes at most 73\.2 %/).waitFor();
  await page.getByLabel('yes').check();
  await page.getByRole('button', { name: /Blur it here/ }).click();
  await page.getByText('Thank you').waitFor();
  await page.getByText('1 report so far').waitFor();
  await page.getByLabel('no').check(); // another answer, the same reply
  await page.getByRole('button', { name: /Blur it here/ }).click();
  await page.getByText('This device has answered already').waitFor();
  // 400 others, by the native client; the interval narrows on the page.
  const { surveys } = await house.api('GET', 'surveys');
  const sent = await fetch(`${house.url}/api/v1/surveys/${surveys[0].id}/reports`,
    { method: 'POST', body: house.invent(400), headers: { 'Content-Type': 'application/octet-stream' } });
  assert.equal((await sent.json()).accepted, 400);
  await page.getByText('401 reports so far').waitFor();
  await page.getByText('since this page was opened').waitFor();
  await shot(page, 'survey');
  assert.deepEqual(await faultsOf(page), []);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `the page is ${width} wide on a phone of 390`);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

const house = await House.open();
try {
  await theStory(house);
  for (const name of Object.keys(kVisits)) await visitAll(house, name);
  await aPersonAtHome(house);
  console.log('one story, every page of every role, and a person at home');
} finally {
  await house.close();
}
