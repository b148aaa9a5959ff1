import { h } from './dom';
import { percent, short } from './words';

export interface Gauge { label: string; cap: number; spent: number; now?: number }

/** Spent, this question, left; the numbers are in words beside the colours. */
export function gauge({ label, cap, spent, now = 0 }: Gauge): HTMLElement {
  const share = (part: number) => `${Math.min(100, Math.max(0, cap > 0 ? (100 * part) / cap : 0))}%`;
  const bar = (name: string, part: number) => {
    const element = h('span', { class: name });
    element.style.width = share(part);
    return element;
  };
  const left = Math.max(0, cap - spent - now);
  const part = (name: string, text: string) => h('span', {}, h('span', { class: `key ${name}` }), text);
  return h('div', {},
    h('div', { class: 'gauge', role: 'img', 'aria-label': `${label}: ${short(spent)} spent of ${short(cap)}${now ? `, ${short(now)} for this question` : ''}` },
      bar('spent', spent), bar('now', now), h('span', { class: 'left' })),
    h('div', { class: 'legend' }, part('spent', `spent ${short(spent)}`), now ? part('now', `this question ${short(now)}`) : null,
      part('left', `left ${short(left)} (${cap > 0 ? percent(left / cap) : '0 %'})`)));
}
