// Which question bought which record, for this tab: the ledger keeps no one's words.
const kKey = 'discreet-questions';

export function questions(): Record<string, string> {
  try { return JSON.parse(sessionStorage.getItem(kKey) ?? '{}') as Record<string, string>; } catch { return {}; }
}

export function remember(charge: number, sql: string): void {
  sessionStorage.setItem(kKey, JSON.stringify({ ...questions(), [charge]: sql }));
}
