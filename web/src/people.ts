// Accounts: the owner makes and removes them; the auditor sees who there is.
import { ApiError, get, post, remove, type Me, type Role } from './api';
import { field, fill, h, notice, say, table } from './dom';

export async function peoplePage(me: Me): Promise<HTMLElement> {
  const place = h('div');
  const made = h('div', { 'aria-live': 'polite' });
  const name = h('input', { required: true, maxlength: 64, pattern: '[A-Za-z0-9._\\-]+', autocapitalize: 'off', spellcheck: 'false' });
  const role = h('select', {}, ['analyst', 'auditor', 'owner'].map((one) => h('option', { value: one }, one)));
  const tell = (e: unknown) => fill(made, notice(e instanceof ApiError ? e.message : 'This did not work; try again.', 'bad'));

  async function list(): Promise<void> {
    const { accounts } = await get<{ accounts: { name: string; role: Role; note?: string }[] }>('accounts');
    fill(place, table('Accounts', me.role === 'owner' ? ['name', 'role', 'actions'] : ['name', 'role'], accounts.map((a) => [a.name, a.note ? h('span', {}, a.role, h('br'), h('small', {}, `⚠ ${a.note}`)) : a.role,
      ...(me.role !== 'owner' ? [] : [h('span', {},
        h('button', { class: 'quiet', 'aria-label': `Unlock ${a.name}`, on: { click: () => void act(() => post(`accounts/${encodeURIComponent(a.name)}/unlock`), `${a.name} may try again.`) } }, 'Unlock'),
        a.name === me.name ? '' : h('button', { class: 'quiet', 'aria-label': `Remove ${a.name}`, on: { click: () => { if (confirm(`Remove ${a.name}? What it spent stays spent.`)) void act(() => remove(`accounts/${encodeURIComponent(a.name)}`), `${a.name} is removed.`); } } }, 'Remove'))])])));
  }
  async function act(run: () => Promise<unknown>, done: string): Promise<void> {
    try { await run(); say(done); await list(); } catch (e) { tell(e); }
  }
  async function add(): Promise<void> {
    try {
      const account = await post<{ name: string; password: string; note?: string }>('accounts', { name: name.value.trim(), role: role.value });
      fill(made, notice(`The password of ${account.name}, shown this once:`, 'good'), h('p', {}, h('code', { id: 'password' }, account.password)),
        account.note ? notice(account.note, 'bad') : null);
      name.value = '';
      await list();
    } catch (e) { tell(e); }
  }
  await list();
  return h('div', {}, h('section', { class: 'card' }, place),
    me.role !== 'owner' ? null : h('section', { class: 'card', 'aria-label': 'New account' }, h('h2', {}, 'New account'),
      h('p', { class: 'soft' }, 'An analyst has the name under which the policy gives them a budget. Nothing has a default password.'),
      h('form', { class: 'row', on: { submit: (event) => { event.preventDefault(); void add(); } } },
        field('Name', name), field('Role', role), h('button', { class: 'main' }, 'Make it')),
      made));
}
