// The office: logs in, shows the pages that a role may see, and keeps the address in the part after '#'.
import iconUrl from './icon.svg';
import { ApiError, get, post, session, token, type Me, type Role } from './api';
import { fill, h, notice, say } from './dom';
import { loginPage } from './login';
import { themeButton } from './theme';

interface Page { path: string; title: string; roles: Role[]; show(me: Me): Promise<Node> }

// What a page needs is fetched when it is first shown.
const kPages: Page[] = [
  { path: 'ask', title: 'Ask', roles: ['analyst', 'owner'], show: async (me) => (await import('./ask')).askPage(me) },
  { path: 'work', title: 'Work', roles: ['analyst', 'owner', 'auditor'], show: async (me) => (await import('./work')).workPage(me) },
  { path: 'history', title: 'History', roles: ['analyst', 'owner', 'auditor'], show: async (me) => (await import('./history')).historyPage(me) },
  { path: 'spending', title: 'Spending', roles: ['owner', 'auditor'], show: async (me) => (await import('./spending')).spendingPage(me) },
  { path: 'check', title: 'Check', roles: ['owner', 'auditor'], show: async (me) => (await import('./check')).checkPage(me) },
  { path: 'people', title: 'People', roles: ['owner', 'auditor'], show: async (me) => (await import('./people')).peoplePage(me) },
  { path: 'surveys', title: 'Surveys', roles: ['analyst', 'owner', 'auditor'], show: async () => (await import('./surveys')).surveysPage() },
  { path: 'account', title: 'My account', roles: ['analyst', 'owner', 'auditor'], show: async (me) => (await import('./account')).accountPage(me) },
];

const main = document.getElementById('main')!;
const top_ = document.getElementById('top')!;
let me: Me | null = null;

function pages(): Page[] {
  return kPages.filter((page) => me && page.roles.includes(me.role));
}

function header(current: string): void {
  fill(top_, h('div', { class: 'bar' },
    h('a', { class: 'brand', href: '#/' }, h('img', { src: iconUrl, alt: '' }), 'discreet'),
    h('nav', { 'aria-label': 'Pages' }, pages().map((page) =>
      h('a', { href: `#/${page.path}`, 'aria-current': page.path === current ? 'page' : null }, page.title))),
    themeButton(),
    me ? h('button', { class: 'quiet', on: { click: () => void leave() } }, `Log out ${me.name}`) : null));
}

async function leave(): Promise<void> {
  try { await post('logout'); } catch { /* the token ends by itself */ }
  token.drop();
  me = null;
  location.hash = '#/';
  await show();
}

let shown = 0;
async function show(): Promise<void> {
  const turn = ++shown;
  if (!me && token.get()) {
    try { me = await get<Me>('me'); } catch { token.drop(); }
  }
  if (!me) {
    header('');
    document.title = 'Log in · discreet';
    fill(main, loginPage(async (found) => { me = found; await show(); main.focus(); }));
    return;
  }
  const wanted = location.hash.replace(/^#\/?/, '').split('?')[0];
  const page = pages().find((one) => one.path === wanted) ?? pages()[0]!;
  header(page.path);
  document.title = `${page.title} · discreet`;
  let content: Node;
  try {
    content = await page.show(me);
  } catch (error) {
    if (!me || !token.get()) return;
    content = notice(error instanceof ApiError ? error.message : 'This page could not be shown; load it again.', 'bad');
  }
  if (turn === shown) fill(main, h('h1', {}, page.title), content);
}

session.ended = () => {
  me = null;
  say('Your login has ended. Log in again.');
  void show();
};
window.addEventListener('hashchange', () => void show().then(() => main.focus()));
void show();
