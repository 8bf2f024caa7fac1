import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { html } from '@codemirror/lang-html';
import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { editorTheme } from './editor-theme';
import { placeholders } from './placeholders';

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
    const extensions = [...extensionsOf(initialProps.current), invalidState.of([]), onEdit];
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

function extensionsOf({ path, language, labelledBy, describedBy, minHeight, maxHeight }: FixedProps): Extension[] {
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
