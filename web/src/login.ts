import { ApiError, get, post, token, type Me } from './api';
import { field, fill, h, notice } from './dom';

export function loginPage(entered: (me: Me) => Promise<void>): HTMLElement {
  const name = h('input', { autocomplete: 'username', required: true, autocapitalize: 'off', spellcheck: 'false', maxlength: 64 });
  const password = h('input', { type: 'password', autocomplete: 'current-password', required: true, maxlength: 256 });
  const button = h('button', { class: 'main', type: 'submit' }, 'Log in');
  const wrong = h('div', { 'aria-live': 'assertive' });
  const submit = async () => {
    button.disabled = true;
    fill(wrong);
    try {
      const login = await post<{ token: string }>('login', { name: name.value.trim(), password: password.value });
      token.set(login.token);
      await entered(await get<Me>('me'));
    } catch (error) {
      const text = !(error instanceof ApiError) ? 'This did not work; try again.'
        : error.status === 401 ? 'Not this name and password. After some wrong tries you have to wait a little.'
        : error.message;
      fill(wrong, notice(text, 'bad'));
      password.value = '';
      password.focus();
    } finally {
      button.disabled = false;
    }
  };
  return h('div', { class: 'card narrow' },
    h('h1', {}, 'Log in'),
    h('p', { class: 'soft' }, 'The owner of the data makes accounts and tells you your password, once.'),
    h('form', { on: { submit: (event) => { event.preventDefault(); void submit(); } } },
      field('Name', name), field('Password', password), wrong, button),
    h('p', { class: 'soft' }, 'Here for a survey? ', h('a', { href: '/survey.html' }, 'You need no account for that.')));
}
