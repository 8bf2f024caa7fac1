import { visit } from 'jsonc-parser';

/** Where JSON stops being valid. */
export type SyntaxFault = {
  /** From 1. */
  readonly line: number;
  /** From 1, in characters. */
  readonly column: number;
  readonly mistake: 'trailing_comma' | 'single_quotes' | 'comment' | 'incomplete' | 'other';
};

/** Searching takes much longer than JSON.parse. */
const MAX_CHARACTERS = 16_000;

/** JSON.parse gives a position only in newer versions of Node, and its message quotes the body. */
export function findSyntaxError(text: string): SyntaxFault | null {
  if (text.length > MAX_CHARACTERS) return null;
  const [first] = errorsIn(text);
  if (first === undefined) return null;
  const before = text.slice(0, first);
  return {
    line: before.split('\n').length,
    column: first - before.lastIndexOf('\n'),
    mistake: mistakeAt(text, first),
  };
}

/** The offsets of syntax errors. The first one ends the search. */
function errorsIn(text: string): number[] {
  const offsets: number[] = [];
  const stop = new Error('found');
  try {
    visit(
      text,
      {
        onError(_code, offset) {
          offsets.push(offset);
          throw stop;
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (error !== stop) throw error;
  }
  return offsets;
}

function mistakeAt(text: string, offset: number): SyntaxFault['mistake'] {
  const rest = text.slice(offset).trimStart();
  if (rest === '') return 'incomplete';
  if (/^[}\]]/.test(rest) && /,\s*$/.test(text.slice(0, offset))) return 'trailing_comma';
  if (rest.startsWith("'")) return 'single_quotes';
  return /^\/[/*]/.test(rest) ? 'comment' : 'other';
}
