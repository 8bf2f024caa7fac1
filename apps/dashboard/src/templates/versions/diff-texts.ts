import { type Change, diffLines, diffWordsWithSpace } from 'diff';

/** A piece of a line; `changed`: the other side has something else in its place. */
export type Piece = { readonly text: string; readonly changed: boolean };

export type DiffLine = { readonly sign: '+' | '-' | ' '; readonly pieces: readonly Piece[] };

/** Two texts of megabytes with nothing in common would take minutes to compare. */
const TIMEOUT_MS = 1_000;

/** Lines of both texts in order, with the words that differ where one line took another's place. */
export function diffTexts(before: string, after: string): DiffLine[] {
  const changes = diffLines(before, after, { stripTrailingCr: true, timeout: TIMEOUT_MS }) ?? replaced(before, after);
  return changes.flatMap((change, index) => linesOf(change, changes[index - 1], changes[index + 1]));
}

function linesOf(change: Change, previous: Change | undefined, next: Change | undefined): DiffLine[] {
  if (change.removed && next?.added) return pairedLines('-', change.value, next.value);
  if (change.added && previous?.removed) return pairedLines('+', change.value, previous.value);
  return split(change.value).map((text) => ({ sign: signOf(change), pieces: [{ text, changed: false }] }));
}

function signOf({ added, removed }: Change): DiffLine['sign'] {
  if (added) return '+';
  return removed ? '-' : ' ';
}

/** Only as many lines as both sides have can be compared word by word. */
function pairedLines(sign: '+' | '-', own: string, other: string): DiffLine[] {
  const others = split(other);
  return split(own).map((text, index) => {
    const counterpart = others[index];
    const pieces = counterpart === undefined ? [{ text, changed: false }] : pieceWords(text, counterpart);
    return { sign, pieces };
  });
}

function pieceWords(own: string, other: string): Piece[] {
  const words = diffWordsWithSpace(other, own, { timeout: TIMEOUT_MS });
  if (words === undefined) return [{ text: own, changed: false }];
  return words.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, changed: added }));
}

function replaced(before: string, after: string): Change[] {
  return [
    { value: before, removed: true, added: false, count: 1 },
    { value: after, added: true, removed: false, count: 1 },
  ];
}

/** Without the empty one behind the last line break. */
function split(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}
