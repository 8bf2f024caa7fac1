import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

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

export const editorTheme = [layout, syntaxHighlighting(colors)];
