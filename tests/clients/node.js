// node-postgres against the server: node node.js PORT PASSWORD, with NODE_PATH at its packages.
const assert = require('assert');
const { Client, Pool } = require('pg');

async function main() {
  const login = { host: '127.0.0.1', port: +process.argv[2], user: 'ann', password: process.argv[3], database: 'discreet' };
  const client = new Client(login);
  const notices = [];
  client.on('notice', (notice) => notices.push(notice.message));
  await client.connect();
  await client.query('SET discreet.epsilon = 20');
  const grouped = 'SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic ORDER BY clinic';
  const plain = await client.query(grouped);
  assert.deepStrictEqual(plain.rows, [{ clinic: 'east', n: '1000' }, { clinic: 'north', n: '1000' }, { clinic: 'south', n: '1000' }]);
  assert.match(notices[0], /left: /);
  const values = await client.query('SELECT COUNT(*) AS n FROM visits WHERE clinic = $1 AND age < $2 AND day > $3', ['north', 80, '2020-01-01']);
  assert.strictEqual(values.rows[0].n, '1000');
  const named = { name: 'grouped', text: 'SELECT smoker, AVG(cost) AS a FROM visits GROUP BY smoker ORDER BY smoker' };
  assert.deepStrictEqual((await client.query(named)).rows, (await client.query(named)).rows);
  assert.strictEqual(typeof (await client.query(named)).rows[0].a, 'number');
  await assert.rejects(client.query('SELECT COUNT(*) FROM absent'), { code: '42704' });
  await client.end();
  const pool = new Pool(login);
  assert.strictEqual((await pool.query('SELECT current_user AS me')).rows[0].me, 'ann');
  await pool.end();
  await assert.rejects(new Client({ ...login, password: 'wrong' }).connect(), { code: '28P01' });
  console.log('node-postgres: all checks hold');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
