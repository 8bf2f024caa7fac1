import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { html } from '@codemirror/lang-html';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

export type CodeEditorProps = {
  /** The form finds the field by this name. */
  readonly path: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly language: 'html' | 'text';
  /** IDs of the elements that label and describe the field. */
  readonly labelledBy: string;
  readonly describedBy: string;
  readonly invalid: boolean;
  /** CSS lengths: the editor grows with its content between these two heights. */
  readonly minHeight: string;
  readonly maxHeight: string;
};

const invalidState = new Compartment();

/** A code editor. Tab indents, so the field's description must say how to leave it: Escape, then Tab. */
export function CodeEditor({ value, onChange, invalid, ...fixedProps }: CodeEditorProps) {
  const container = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const shown = useRef(value);
  const listener = useRef(onChange);
  listener.current = onChange;
  const initialProps = useRef(fixedProps);

  useEffect(() => {
    const onEdit = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (!docChanged || transactions.some((change) => change.annotation(Transaction.remote))) return;
      shown.current = state.doc.toString();
      listener.current(shown.current);
    });
    const extensions = [...buildExtensions(initialProps.current), invalidState.of([]), onEdit];
    const view = new EditorView({
      state: EditorState.create({ doc: shown.current, extensions }),
      ...(container.current && { parent: container.current }),
    });
    editor.current = view;
    return () => view.destroy();
  }, []);

  useEffect(() => {
    if (value === shown.current) return;
    shown.current = value;
    const view = editor.current;
    view?.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: value },
      annotations: Transaction.remote.of(true),
    });
  }, [value]);

  useEffect(() => {
    const attributes = EditorView.contentAttributes.of({ 'aria-invalid': String(invalid) });
    editor.current?.dispatch({ effects: invalidState.reconfigure(attributes) });
  }, [invalid]);

  return <div ref={container} />;
}

type FixedProps = Omit<CodeEditorProps, 'value' | 'onChange' | 'invalid'>;

function buildExtensions({ path, language, labelledBy, describedBy, minHeight, maxHeight }: FixedProps): Extension[] {
  return [
    history(),
    drawSelection(),
    highlightActiveLine(),
    keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      'data-path': path,
      'aria-labelledby': labelledBy,
      'aria-describedby': describedBy,
      tabindex: '0',
    }),
    EditorView.theme({ '.cm-scroller': { minHeight, maxHeight }, '.cm-content, .cm-gutter': { minHeight } }),
    ...(language === 'html' ? [html(), lineNumbers()] : [lineNumbers()]),
    placeholders,
    editorTheme,
  ];
}

/** Every color has a contrast ratio above 4.5 on the editor's background, which is white or #242424. */
const colors = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket, tags.keyword], color: 'light-dark(#1b5794, #8ab8f2)' },
  { tag: [tags.attributeName, tags.propertyName, tags.className], color: 'light-dark(#7a4a00, #e2b866)' },
  { tag: [tags.string, tags.attributeValue, tags.number, tags.unit], color: 'light-dark(#1d6a3d, #8fd3a6)' },
  { tag: [tags.comment, tags.documentMeta, tags.processingInstruction], color: 'light-dark(#5b6270, #a8aebb)' },
]);

const layout = EditorView.theme({
  '&': {
    fontSize: 'var(--mantine-font-size-sm)',
    color: 'var(--mantine-color-text)',
    background: 'light-dark(#fff, #242424)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-default)',
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { padding: '0.6rem 0', caretColor: 'var(--mantine-color-text)' },
  '.cm-line': { padding: '0 0.75rem' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    background: 'transparent',
    color: 'light-dark(#5b6270, #a8aebb)',
    border: 'none',
    paddingLeft: '0.25rem',
  },
  '.cm-activeLine': { background: 'transparent' },
  '&.cm-focused .cm-activeLine': { background: 'light-dark(#f4f6fb, #2b2d31)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'light-dark(#cddcf7, #3a4a6b)',
  },
  '.cm-placeholder-tag': {
    borderRadius: '3px',
    background: 'light-dark(#f1e8fb, #3a2b4b)',
    '&, & *': { color: 'light-dark(#6a1b9a, #ddb8ff)' },
  },
});

const editorTheme = [layout, syntaxHighlighting(colors)];

const matcher = new MatchDecorator({
  // {{name}}, {{{name}}} and {{&name}}. The API validates what is inside.
  regexp: /\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\}/g,
  decoration: Decoration.mark({ class: 'cm-placeholder-tag' }),
});

const placeholders = ViewPlugin.define(
  (view) => {
    let marks: DecorationSet = matcher.createDeco(view);
    return {
      get marks() {
        return marks;
      },
      update(change) {
        marks = matcher.updateDeco(change, marks);
      },
    };
  },
  { decorations: ({ marks }) => marks },
);
