// Light, dark, or as the system says.
import { h } from './dom';

const kKey = 'discreet-theme';
const kNames = ['system', 'light', 'dark'];

function apply(name: string): void {
  if (name === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = name;
  window.dispatchEvent(new Event('theme'));
}

apply(localStorage.getItem(kKey) ?? 'system');

export function themeButton(): HTMLElement {
  const text = () => `Colours: ${localStorage.getItem(kKey) ?? 'system'}`;
  const button = h('button', { class: 'quiet', on: { click: () => {
    const now = localStorage.getItem(kKey) ?? 'system';
    const next = kNames[(kNames.indexOf(now) + 1) % kNames.length]!;
    localStorage.setItem(kKey, next);
    apply(next);
    button.textContent = text();
  } } }, text());
  return button;
}
