// Elements from code. Text is always text: nothing here, or anywhere in the page, parses HTML, so what a column or an error
// says can never become markup.
export type Child = Node | string | number | null | undefined | false | Child[];
type Handlers = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
export interface Attributes {
  on?: Handlers;
  [name: string]: string | number | boolean | null | undefined | Handlers;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') {
      for (const [event, run] of Object.entries(value as Handlers)) {
        element.addEventListener(event, run as EventListener);
      }
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  append(element, children);
  return element;
}

export function append(parent: Node, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child instanceof Node) parent.appendChild(child);
    else if (child !== null && child !== undefined && child !== false) {
      parent.appendChild(document.createTextNode(String(child)));
    }
  }
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

/** Said aloud by screen readers, and shown for a while. */
export function say(text: string): void {
  const place = document.getElementById('says')!;
  place.textContent = text;
  window.clearTimeout(Number(place.dataset['timer'] ?? 0));
  place.dataset['timer'] = String(window.setTimeout(() => { place.textContent = ''; }, 6000));
}

export function notice(text: string, kind: 'bad' | 'good' | 'plain' = 'plain'): HTMLElement {
  return h('p', { class: `notice ${kind}`, role: kind === 'bad' ? 'alert' : null }, text);
}

/** A table whose first row is its head; wide ones scroll by themselves. */
export function table(caption: string, head: Child[], rows: Child[][], numbers: number[] = []): HTMLElement {
  const right = (i: number) => (numbers.includes(i) ? { class: 'number' } : {});
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', {}, caption),
      h('thead', {}, h('tr', {}, head.map((cell, i) => h('th', { scope: 'col', ...right(i) }, cell)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, i) => h('td', right(i), cell)))))));
}

export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(url), 1000);
}

let labels = 0;
/** A label and its field, with a hint that screen readers find too. */
export function field<T extends HTMLElement>(label: string, input: T, hint = ''): HTMLElement {
  const id = `field-${++labels}`;
  input.id = id;
  if (hint) input.setAttribute('aria-describedby', `${id}-hint`);
  return h('div', { class: 'field' }, h('label', { for: id }, label), input,
    hint ? h('small', { id: `${id}-hint` }, hint) : null);
}
