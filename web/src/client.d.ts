// src/local/client/page.mjs, which `./dev` puts into build/web/client beside discreet_client.wasm.
declare module '@client/page.mjs' {
  export interface SurveyTexts {
    name: string; epsilon: string; answers: 'choices' | 'numbers' | 'strings'; low: number; high: number;
    budget: string; left: string; labels: string[];
  }
  export interface Storage { load(): Promise<Uint8Array | null>; save(bytes: Uint8Array): Promise<void> }
  export type Module = WebAssembly.Exports;
  export function load(wasm: Uint8Array): Promise<Module>;
  export function browserStorage(key?: string): Storage;
  export class Client {
    constructor(module: Module, storage: Storage, budget: string);
    facts(survey: Uint8Array): Promise<SurveyTexts>;
    report(survey: Uint8Array, answer: string): Promise<Uint8Array>;
  }
}
declare module '@client/discreet_client.wasm?url' {
  const url: string;
  export default url;
}
