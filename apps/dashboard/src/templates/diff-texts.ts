import { type Change, diffLines, diffWordsWithSpace } from 'diff';

/** A part of a line. `changed` means that it differs from the other text. */
type Piece = { readonly text: string; readonly changed: boolean };

export type DiffLine = { readonly sign: '+' | '-' | ' '; readonly pieces: readonly Piece[] };

/** Comparing two unrelated texts of several megabytes would take minutes. */
const TIMEOUT_MS = 1_000;

/** The lines of both texts in order. Where lines were replaced, the words that differ are marked. */
export function diffTexts(before: string, after: string): DiffLine[] {
  const changes =
    diffLines(before, after, { stripTrailingCr: true, timeout: TIMEOUT_MS }) ?? buildReplacement(before, after);
  return changes.flatMap((change, index) => toDiffLines(change, changes[index - 1], changes[index + 1]));
}

function toDiffLines(change: Change, previous: Change | undefined, next: Change | undefined): DiffLine[] {
  if (change.removed && next?.added) return pairLines('-', change.value, next.value);
  if (change.added && previous?.removed) return pairLines('+', change.value, previous.value);
  return splitLines(change.value).map((text) => ({ sign: getSign(change), pieces: [{ text, changed: false }] }));
}

function getSign({ added, removed }: Change): DiffLine['sign'] {
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

function buildReplacement(before: string, after: string): Change[] {
  return [
    { value: before, removed: true, added: false, count: 1 },
    { value: after, added: true, removed: false, count: 1 },
  ];
}

/** Drops the empty line after the last line break. */
function splitLines(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** A line of the diff, or the number of unchanged lines that are hidden. */
export type Row = { readonly at: number; readonly line: DiffLine } | { readonly at: number; readonly folded: number };

const CONTEXT_LINES = 3;

/** Hides unchanged lines, except those close to a change. */
export function foldLines(lines: readonly DiffLine[]): Row[] {
  const near = findNearChanges(lines);
  const rows: Row[] = [];
  lines.forEach((line, at) => {
    const last = rows.at(-1);
    if (near.has(at)) rows.push({ at, line });
    else if (last !== undefined && 'folded' in last) rows[rows.length - 1] = { at: last.at, folded: last.folded + 1 };
    else rows.push({ at, folded: 1 });
  });
  return rows;
}

function findNearChanges(lines: readonly DiffLine[]): Set<number> {
  const near = new Set<number>();
  lines.forEach(({ sign }, at) => {
    if (sign === ' ') return;
    for (let next = at - CONTEXT_LINES; next <= at + CONTEXT_LINES; next += 1) near.add(next);
  });
  return near;
}
