// SPDX-License-Identifier: Apache-2.0
// The client of the local model for a web page.
//
//   import createModule from './discreet_client.mjs';
//   const client = new Client(await createModule(), browserStorage(), '10');
//   const bytes = await client.report(survey, 'yes');   // Uint8Array; send it to the collector
//
// The lifetime budget and everything answered are kept by the page's storage: one origin, one browser.
// A report is handed out only after its memory was stored.

/** Where the memory lives: load() gives a Uint8Array or null, save(bytes) stores it. */
export function browserStorage(key = 'discreet-memory') {
  return {
    async load() {
      const text = localStorage.getItem(key);
      return text === null ? null : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    },
    async save(bytes) {
      localStorage.setItem(key, btoa(String.fromCharCode(...bytes)));
    },
  };
}

// Calls of one page take turns, with or without the browser's locks: two at once would draw and pay twice.
let turn = Promise.resolve();

export class Client {
  #module;
  #storage;
  #budget;

  /** `budget` counts only when there is no memory yet; it can never be changed. */
  constructor(module, storage, budget) {
    this.#module = module;
    this.#storage = storage;
    this.#budget = budget;
  }

  /** Answers a survey. Throws an Error with `status`: 2 bad input, 3 refused, 4 budget, 5 the world. */
  async report(survey, answer) {
    const alone = () => this.#locked(survey, answer);
    // Two tabs of one page take turns, where the browser has locks.
    const locks = globalThis.navigator?.locks;
    const run = () => (locks ? locks.request('discreet-memory', alone) : alone());
    turn = turn.then(run, run);
    return turn;
  }

  async #locked(survey, answer) {
    const memory = (await this.#storage.load()) ?? new Uint8Array(0);
    const m = this.#module;
    const place = (bytes) => {
      const at = m._malloc(bytes.length + 1);
      m.HEAPU8.set(bytes, at);
      m.HEAPU8[at + bytes.length] = 0;
      return at;
    };
    const text = (s) => new TextEncoder().encode(s);
    const places = [memory, text(this.#budget), survey, text(answer)].map(place);
    const status = m._discreet_page_report(
      places[0], memory.length, places[1], places[2], survey.length, places[3]);
    places.forEach((at) => m._free(at));
    if (status !== 0) {
      throw Object.assign(new Error(m.UTF8ToString(m._discreet_page_error())), { status });
    }
    const copy = (at, size) => m.HEAPU8.slice(at, at + size);
    const next = copy(m._discreet_page_memory(), m._discreet_page_memory_size());
    const bytes = copy(m._discreet_page_bytes(), m._discreet_page_bytes_size());
    await this.#storage.save(next);
    return bytes;
  }
}
