// SPDX-License-Identifier: Apache-2.0
// The client of the local model for a web page.
//
//   const client = new Client(await load(wasmBytes), browserStorage(), '10');
//   const { name, labels, epsilon } = await client.facts(survey);
//   const bytes = await client.report(survey, 'yes');   // Uint8Array; send it to the collector
//
// The lifetime budget and everything answered are kept by the page's storage: one origin, one browser.
// A report is handed out only after its memory was stored.

/** discreet_client.wasm, running. It is given random bytes of the browser's crypto, and nothing else of the world. */
export async function load(wasm) {
  let memory;
  const refuse = () => 52; // "not supported", to a C library that looks for a file to complain in
  const imports = {
    page: {
      random_bytes(at, size) {
        try {
          globalThis.crypto.getRandomValues(new Uint8Array(memory.buffer, at, size));
          return size;
        } catch {
          return -1;
        }
      },
    },
    wasi_snapshot_preview1: {
      fd_close: refuse,
      fd_seek: refuse,
      fd_write: refuse,
      proc_exit() {
        throw new Error('the client stopped');
      },
    },
  };
  const { instance } = await WebAssembly.instantiate(wasm, imports);
  memory = instance.exports.memory;
  instance.exports._initialize();
  return instance.exports;
}

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

  /** What a survey asks and costs, and what is left of the lifetime budget. Draws nothing, changes nothing. */
  async facts(survey) {
    const memory = (await this.#storage.load()) ?? new Uint8Array(0);
    this.#call('facts', [memory, survey]);
    const bytes = this.#copy('facts_bytes', 'facts_size');
    const [name, epsilon, kind, low, high, budget, spent, ...labels] =
      new TextDecoder().decode(bytes.subarray(0, -1)).split('\0');
    const left = Number(budget === '' ? this.#budget : budget) - Number(spent);
    return {
      name,
      epsilon,
      answers: ['choices', 'numbers', 'strings'][Number(kind)],
      low: Number(low) / 1e6,
      high: Number(high) / 1e6,
      budget: budget === '' ? this.#budget : budget,
      left: String(Math.round(left * 1e9) / 1e9),
      labels,
    };
  }

  async #locked(survey, answer) {
    const memory = (await this.#storage.load()) ?? new Uint8Array(0);
    const text = (s) => new TextEncoder().encode(s + '\0');
    this.#call('report', [memory, text(this.#budget), survey, text(answer)]);
    const next = this.#copy('memory', 'memory_size');
    const bytes = this.#copy('bytes', 'bytes_size');
    await this.#storage.save(next);
    return bytes;
  }

  /** Of the arguments, texts end in '\0' and are given by their place; other bytes by place and size. */
  #call(name, inputs) {
    const m = this.#module;
    const places = inputs.map((bytes) => m.malloc(bytes.length + 1));
    places.forEach((at, i) => new Uint8Array(m.memory.buffer).set(inputs[i], at));
    const isText = (i) => name === 'report' && i % 2 === 1;
    const words = places.flatMap((at, i) => (isText(i) ? [at] : [at, inputs[i].length]));
    const status = m[`discreet_page_${name}`](...words);
    places.forEach((at) => m.free(at));
    if (status === 0) return;
    const from = m.discreet_page_error();
    const bytes = new Uint8Array(m.memory.buffer);
    const message = new TextDecoder().decode(bytes.slice(from, bytes.indexOf(0, from)));
    throw Object.assign(new Error(message), { status });
  }

  #copy(bytes, size) {
    const m = this.#module;
    const at = m[`discreet_page_${bytes}`]();
    return new Uint8Array(m.memory.buffer).slice(at, at + m[`discreet_page_${size}`]());
  }
}
