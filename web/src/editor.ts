// The SQL editor: CodeMirror with the policy's tables and columns. It lives in a shadow root, where its styles are constructed
// sheets: the content security policy allows no style element.
import { autocompletion, completionKeymap, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, schemaCompletionSource } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, LanguageSupport, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Catalog } from './api';
import { h } from './dom';

// What the product adds to, or takes of, PostgreSQL: docs/sql.md.
const kFunctions = ['COUNT(*)', 'COUNT(DISTINCT )', 'SUM()', 'AVG()', 'MEDIAN()', 'MIN()', 'MAX()', 'VARIANCE()', 'STDDEV()',
  'QUANTILE(, 0.9)', 'HISTOGRAM(, bins => 10)', 'BOXPLOT()'];

const kColours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--plot-3)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: tags.number, color: 'var(--plot-2)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
]);

const kLook = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--card)', fontSize: '16px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { fontFamily: 'ui-monospace, "DejaVu Sans Mono", monospace', minHeight: '110px', padding: '10px', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-placeholder': { color: 'var(--soft)' },
  '.cm-tooltip': { backgroundColor: 'var(--card)', color: 'var(--ink)', border: '1px solid var(--edge)', borderRadius: '8px' },
  '.cm-tooltip-autocomplete ul li': { padding: '3px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'inherit', fontStyle: 'normal', opacity: '0.85' },
});

/** Listed values of a column, where one is being compared: clinic = '... */
function values(catalog: Catalog) {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.matchBefore(/(\w+)\s*(=|<>|IN\s*\()\s*'[^']*/i);
    const name = before && /^\w+/.exec(before.text)?.[0]?.toLowerCase();
    const columns = catalog.tables.flatMap((table) => table.columns).filter((c) => c.name.toLowerCase() === name && c.values);
    if (!before || !columns[0]) return null;
    return { from: before.from + before.text.lastIndexOf("'") + 1, options: columns[0].values!.map((value) => ({ label: value, type: 'text' })) };
  };
}

const kWords = ['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'HAVING', 'ORDER BY', 'LIMIT', 'AND', 'OR', 'NOT', 'IN', 'BETWEEN', 'AS', 'JOIN', 'ON', 'DESC', 'IS NULL'];

/** Words, functions, and columns whether or not their table is named yet. */
function words(catalog: Catalog) {
  const columns = catalog.tables.flatMap((table) => table.columns.map((column) =>
    ({ label: column.name, type: 'property', detail: `${column.type} of ${table.name}`, boost: 2 })));
  const options = [...columns, ...kFunctions.map((label) => ({ label, type: 'function', boost: 1 })),
    ...catalog.tables.map((table) => ({ label: table.name, type: 'type', detail: 'table', boost: 1 })),
    ...kWords.map((label) => ({ label, type: 'keyword' }))];
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/\w+/);
    if (!word && !context.explicit) return null;
    if (context.matchBefore(/\.\w*/)) return null; // of that table alone: the schema's
    return { from: word?.from ?? context.pos, options, validFor: /^\w*$/ };
  };
}

export interface Editor { element: HTMLElement; text(): string; set(text: string): void; insert(text: string): void; focus(): void }

export function makeEditor(catalog: Catalog, changed: () => void, run: () => void): Editor {
  const element = h('div', { class: 'editor' });
  const root = element.attachShadow({ mode: 'open' });
  const place = h('div');
  root.appendChild(place);
  const schema = Object.fromEntries(catalog.tables.map((table) =>
    [table.name, table.columns.map((column) => ({ label: column.name, type: 'property', detail: column.type }))]));
  const language = PostgreSQL.language;
  const support = new LanguageSupport(language, [
    schemaCompletionSource({ dialect: PostgreSQL, schema }), values(catalog), words(catalog),
  ].map((autocomplete) => language.data.of({ autocomplete })));
  const view = new EditorView({
    root, parent: place,
    state: EditorState.create({
      doc: '',
      extensions: [
        history(), bracketMatching(), support, syntaxHighlighting(kColours), kLook, EditorView.lineWrapping,
        placeholder('SELECT ...   (Ctrl-Space completes, Ctrl-Enter asks)'),
        autocompletion({ icons: false }),
        keymap.of([{ key: 'Mod-Enter', run: () => { run(); return true; } }, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': 'Your question in SQL', spellcheck: 'false', autocapitalize: 'off' }),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
      ],
    }),
  });
  const set = (text: string) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  return {
    element,
    text: () => view.state.doc.toString(),
    set,
    insert: (text) => { view.dispatch(view.state.replaceSelection(text)); view.focus(); },
    focus: () => view.focus(),
  };
}
