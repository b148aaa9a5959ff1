import { ApiError, post, session, token, type Me } from './api';
import { field, fill, h, notice, say } from './dom';

export function accountPage(me: Me): HTMLElement {
  const old = h('input', { type: 'password', autocomplete: 'current-password', required: true, maxlength: 256 });
  const next = h('input', { type: 'password', autocomplete: 'new-password', required: true, minlength: 12, maxlength: 256 });
  const wrong = h('div', { 'aria-live': 'assertive' });
  const submit = async () => {
    try {
      await post('password', { old: old.value, new: next.value });
      token.drop();
      session.ended();
      say('Your password is changed. Log in with the new one.');
    } catch (error) {
      fill(wrong, notice(error instanceof ApiError ? error.message : 'This did not work; try again.', 'bad'));
    }
  };
  return h('div', { class: 'card middle' },
    h('p', {}, 'You are ', h('b', {}, me.name), `, ${me.role}.`),
    h('h2', {}, 'Change your password'),
    h('form', { on: { submit: (event) => { event.preventDefault(); void submit(); } } },
      field('Present password', old), field('New password', next, 'At least 12 characters; a few random words make a good one.'),
      wrong, h('button', { class: 'main' }, 'Change it and log in again')));
}
