// The long visit, `./dev soak web`: every page of every role in light and dark, on a desk and on a phone, by axe's rules; the
// story by keyboard alone; box plots, histograms and averages; forged tokens, foreign origins, and what an analyst must not reach.
import assert from 'node:assert';
import { faultsOf } from './axe.mjs';
import { House, kAttack, shot, writeSql } from './house.mjs';

const kPages = {
  ann: ['Ask', 'Work', 'History', 'Surveys', 'My account'],
  owner: ['Ask', 'Work', 'History', 'Spending', 'Check', 'People', 'Surveys', 'My account'],
  audit: ['Work', 'History', 'Spending', 'Check', 'People', 'Surveys', 'My account'],
};

async function everywhere(house) {
  let visits = 0;
  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [{ width: 1280, height: 900 }, { width: 360, height: 740 }]) {
      for (const [name, titles] of Object.entries(kPages)) {
        const page = await house.enter(name, { colorScheme, viewport });
        for (const title of titles) {
          await page.getByRole('navigation').getByRole('link', { name: title }).click();
          await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor();
          await page.waitForTimeout(400);
          const where = `${name} ${title} ${colorScheme} ${viewport.width}`;
          assert.deepEqual(await faultsOf(page), [], where);
          const width = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(width <= viewport.width, `${where} is ${width} wide`);
          await shot(page, where.replaceAll(' ', '-'));
          ++visits;
        }
        assert.deepEqual(page.complaints, []);
        await page.context().close();
      }
    }
  }
  return visits;
}

async function byKeyboard(house) {
  const page = await house.page();
  await page.goto(house.url);
  await page.getByLabel('Name').waitFor();
  const reach = async (locator, most = 60) => {
    for (let i = 0; i < most; ++i) {
      await page.keyboard.press('Tab');
      if (await locator.evaluate((e) => e === document.activeElement || e.contains(document.activeElement) || e.getRootNode().host === document.activeElement)) return;
    }
    throw new Error('cannot be reached by keyboard');
  };
  await reach(page.getByLabel('Name'));
  await page.keyboard.type('bob');
  await reach(page.getByLabel('Password'));
  await page.keyboard.type(house.passwords.bob);
  await page.keyboard.press('Enter');
  const editor = page.getByRole('textbox', { name: 'Your question in SQL' });
  await editor.waitFor();
  await reach(editor);
  await page.keyboard.type('SELECT ward, BOXPLOT(cost) FROM visits GROUP BY ward ');
  await page.keyboard.press('Escape');
  await page.getByText('Price: epsilon 0.1').waitFor();
  await page.keyboard.press('Control+Enter');
  const answer = page.getByRole('region', { name: 'Answer', exact: true });
  await answer.waitFor();
  await answer.locator('.plot canvas').waitFor();
  assert.equal(await answer.getByRole('columnheader').count(), 6);
  await shot(page, 'boxplot');
  for (const sql of ['SELECT HISTOGRAM(age, bins => 10) FROM visits', 'SELECT ward, SUM(cost) AS cost FROM visits GROUP BY ward']) {
    await writeSql(page, sql);
    await page.getByRole('button', { name: /^Ask and pay epsilon 0.1/ }).waitFor();
    await page.getByRole('button', { name: /^Ask and pay epsilon 0.1/ }).click();
    await page.locator('#answer code', { hasText: sql }).first().waitFor();
    assert.ok(await page.locator('#answer .plot canvas').count() > 0, sql);
    await shot(page, sql.includes('HISTOGRAM') ? 'histogram' : 'bars');
  }
  // An average says what it needs, and the curve comes with it.
  await writeSql(page, 'SELECT AVG(cost) FROM visits');
  await page.getByText('Say about how many').waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('About how many rows').fill('600');
  await page.locator('#foreseen').waitFor();
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

async function whatIsRefused(house) {
  const token = await house.logIn('ann');
  for (const [method, path] of [['GET', 'accounts'], ['GET', 'status'], ['GET', 'audit-log'], ['POST', 'verify'], ['POST', 'reload'], ['POST', 'audits'], ['POST', 'audits/replay'], ['POST', 'accounts/bob/unlock'], ['DELETE', 'accounts/bob']]) {
    assert.match((await house.api(method, path, undefined, token)).message, /your role may not do this/, path);
  }
  // A name with markup, in an account and in an error, is shown as text.
  const page = await house.enter('owner');
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByLabel('Name').evaluate((input) => { input.removeAttribute('pattern'); });
  await page.getByLabel('Name').fill(kAttack);
  await page.getByRole('button', { name: 'Make it' }).click();
  await page.getByRole('alert').filter({ hasText: '<img' }).waitFor();
  // The pages obey their policy: neither inline script nor HTML from text.
  const policy = await page.evaluate(() => fetch('/').then((r) => r.headers.get('content-security-policy')));
  assert.match(policy, /script-src 'self';/);
  assert.match(policy, /require-trusted-types-for 'script'/);
  await assert.rejects(page.evaluate(() => { document.body.innerHTML = '<b>x</b>'; }), /TrustedHTML/);
  const ran = await page.evaluate(() => { const s = document.createElement('script'); try { s.textContent = 'window.ran = 1'; document.body.append(s); } catch { /* trusted types */ } return window.ran ?? 0; });
  assert.equal(ran, 0);
  await page.context().close();
  // A token that is forged ends the session in words.
  const forged = await house.page();
  await forged.goto(house.url);
  await forged.evaluate(() => sessionStorage.setItem('discreet-token', 'forged'));
  await forged.reload();
  await forged.getByRole('heading', { name: 'Log in' }).waitFor();
  await forged.context().close();
}

async function whatItWeighs(house) {
  const page = await house.page();
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  let bytes = 0;
  client.on('Network.loadingFinished', (event) => { bytes += event.encodedDataLength; });
  await page.goto(house.url);
  await page.getByLabel('Name').fill('ann');
  await page.getByLabel('Password').fill(house.passwords.ann);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Your question in SQL' }).waitFor();
  const [login] = [await page.evaluate(() => performance.getEntriesByType('navigation')[0].domInteractive)];
  await page.waitForLoadState('networkidle');
  const times = [];
  for (let i = 0; i < 5; ++i) {
    const started = Date.now();
    await page.reload();
    await page.getByRole('textbox', { name: 'Your question in SQL' }).waitFor();
    times.push(Date.now() - started);
  }
  times.sort((a, b) => a - b);
  console.log(`login interactive after ${Math.round(login)} ms; the analyst's page ${Math.round(bytes / 1000)} kB with all its requests, again ready after ${times[2]} ms (median of 5)`);
  assert.ok(bytes < 300_000, `${bytes} bytes`);
  await page.context().close();
}

const house = await House.open();
try {
  await byKeyboard(house);
  await whatIsRefused(house);
  await whatItWeighs(house);
  console.log(`${await everywhere(house)} visits without a fault`);
} finally {
  await house.close();
}
