import { type Change, diffLines, diffWordsWithSpace } from 'diff';

/** A part of a line. `changed` means that it differs from the other text. */
export type Piece = { readonly text: string; readonly changed: boolean };

export type DiffLine = { readonly sign: '+' | '-' | ' '; readonly pieces: readonly Piece[] };

/** Comparing two unrelated texts of several megabytes would take minutes. */
const TIMEOUT_MS = 1_000;

/** The lines of both texts in order. Where lines were replaced, the words that differ are marked. */
export function diffTexts(before: string, after: string): DiffLine[] {
  const changes =
    diffLines(before, after, { stripTrailingCr: true, timeout: TIMEOUT_MS }) ?? fullReplacement(before, after);
  return changes.flatMap((change, index) => toDiffLines(change, changes[index - 1], changes[index + 1]));
}

function toDiffLines(change: Change, previous: Change | undefined, next: Change | undefined): DiffLine[] {
  if (change.removed && next?.added) return pairLines('-', change.value, next.value);
  if (change.added && previous?.removed) return pairLines('+', change.value, previous.value);
  return splitLines(change.value).map((text) => ({ sign: signOf(change), pieces: [{ text, changed: false }] }));
}

function signOf({ added, removed }: Change): DiffLine['sign'] {
  if (added) return '+';
  return removed ? '-' : ' ';
}

/** Lines without a counterpart cannot be compared word by word. */
function pairLines(sign: '+' | '-', own: string, other: string): DiffLine[] {
  const others = splitLines(other);
  return splitLines(own).map((text, index) => {
    const counterpart = others[index];
    const pieces = counterpart === undefined ? [{ text, changed: false }] : compareWords(text, counterpart);
    return { sign, pieces };
  });
}

function compareWords(own: string, other: string): Piece[] {
  const words = diffWordsWithSpace(other, own, { timeout: TIMEOUT_MS });
  if (words === undefined) return [{ text: own, changed: false }];
  return words.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, changed: added }));
}

function fullReplacement(before: string, after: string): Change[] {
  return [
    { value: before, removed: true, added: false, count: 1 },
    { value: after, added: true, removed: false, count: 1 },
  ];
}

/** Drops the empty line after the last line break. */
function splitLines(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}
