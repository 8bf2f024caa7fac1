import { Decoration, type DecorationSet, MatchDecorator, ViewPlugin } from '@codemirror/view';

const matcher = new MatchDecorator({
  // {{name}}, {{{name}}} and {{&name}}; what is wrong in them, the API says.
  regexp: /\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\}/g,
  decoration: Decoration.mark({ class: 'cm-placeholder-tag' }),
});

/** Marks the places for variables, in HTML and text alike. */
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
