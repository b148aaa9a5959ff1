// The server's interface (GET /api/v1/openapi.json), with the types that the page relies on.
export type Role = 'owner' | 'analyst' | 'auditor';
export interface Me { name: string; role: Role }
export interface Column {
  name: string; type: string; low?: string; high?: string; step?: string; values?: string[];
  may_aggregate: boolean; may_group: boolean; may_filter: boolean;
}
export interface Table { name: string; public: boolean; columns: Column[] }
export interface Catalog { snapshot: string; tables: Table[]; examples: string[]; workload: string }
export interface Step { measurement: string; noise: string; price: string; error: string }
export interface Explanation {
  units: string; neighbours: string; bounds: string; keys: string; steps: Step[]; price: string;
  analyst_left: string; repeat: boolean; fits: boolean; notes: string[];
}
export interface Point { epsilon: string; half_width: number | null }
export interface Account {
  account: string; cap: string; spent: string; left: string; delta_cap: string; delta_left: string;
  blocks?: { block: string; spent: string }[];
}
export interface Budget { namespace: string; notion: string; accounts: Account[] }
/** A key, or a value with the ends of its interval. */
export type Cell = string | null | [string | null, string | null, string | null];
export interface Sheet {
  units: string; neighbours: string; snapshot: string; confidence: string; epsilon: string; delta: string;
  notion: string; noise: string[]; notes: string[]; drawing: string;
  columns: { name: string; key: boolean; interval: boolean; type: string; number: boolean }[];
  rows: Cell[][]; small: boolean[]; clipped: string[];
}
export interface Answer { repeated: boolean; charge: number; notes: string[]; made: string[]; answer: Sheet }
export interface Job { job: string; kind: string; stage: string; due: string; due_ms: number; report: boolean }
export interface LedgerRecord {
  record: number; receipt: number; time: string; kind: string; namespace: string; analyst: string; amount: string; delta: string;
  blocks: string[]; request_id: string; about: number; detail: string; hash?: string;
}
export interface Status {
  random_source: string; ledger: { records: number; head: string }; started: string; waiting: number;
  questions: number; repeats: number; refusals: { analyst: string; code: string; count: number; last: string }[];
  differences: Difference[];
}
/** A point on which the policy and the ledger differ, and what mends it. */
export interface Difference { what: string; fix: string }
export interface SurveyFacts { name: string; id: string; reports: number }
export interface Estimate {
  survey: string; reports: number; confidence: string; stuffed: string[]; mean?: number; interval?: [number, number];
  shares?: { choice: string; share: number; interval: [number, number]; simultaneous_interval: [number, number] }[];
}

export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, message: string) { super(message); }
}

const kToken = 'discreet-token';
export const token = {
  get: () => sessionStorage.getItem(kToken),
  set: (value: string) => sessionStorage.setItem(kToken, value),
  drop: () => sessionStorage.removeItem(kToken),
};

/** Set by main.ts: what happens when the token is no longer good. */
export const session = { ended: () => {} };

export async function call<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = {};
  const held = token.get();
  if (held) headers['Authorization'] = `Bearer ${held}`;
  if (body) headers['Content-Type'] = 'application/json';
  const send = () => fetch(path, {
    method, headers, body: body ? JSON.stringify(body) : null, signal: signal ?? null,
    credentials: 'omit', cache: 'no-store',
  });
  let response: Response;
  try {
    response = await send();
    // Too many at once: they come in turn.
    for (let i = 0; response.status === 429 && i < 5; ++i) {
      await new Promise((done) => { window.setTimeout(done, 300 * (i + 1)); });
      response = await send();
    }
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'away', 'The server cannot be reached. Nothing is lost: ask again.');
  }
  const text = await response.text();
  let json: unknown = null;
  try { json = JSON.parse(text); } catch { /* not JSON: /healthz */ }
  if (response.ok) return json as T;
  const { error = 'unknown', message = `status ${response.status}` } = (json ?? {}) as Record<string, string>;
  if (response.status === 401 && held) { token.drop(); session.ended(); }
  throw new ApiError(response.status, error, message);
}

export const get = <T>(path: string, signal?: AbortSignal) => call<T>('GET', `/api/v1/${path}`, undefined, signal);
export const post = <T>(path: string, body: object = {}, signal?: AbortSignal) =>
  call<T>('POST', `/api/v1/${path}`, body, signal);
export const remove = <T>(path: string) => call<T>('DELETE', `/api/v1/${path}`);
