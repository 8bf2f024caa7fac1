import { Decoration, type DecorationSet, MatchDecorator, ViewPlugin } from '@codemirror/view';

const matcher = new MatchDecorator({
  // {{name}}, {{{name}}} and {{&name}}. The API validates what is inside.
  regexp: /\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\}/g,
  decoration: Decoration.mark({ class: 'cm-placeholder-tag' }),
});

/** Highlights template variables in HTML and in text. */
export const placeholders = ViewPlugin.define(
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
