import type { DiffLine } from './diff-texts';

/** A line of the diff, or the number of unchanged lines that are hidden. */
export type Row = { readonly at: number; readonly line: DiffLine } | { readonly at: number; readonly folded: number };

const CONTEXT_LINES = 3;

/** Hides unchanged lines, except those close to a change. */
export function foldLines(lines: readonly DiffLine[]): Row[] {
  const near = nearChanges(lines);
  const rows: Row[] = [];
  lines.forEach((line, at) => {
    const last = rows.at(-1);
    if (near.has(at)) rows.push({ at, line });
    else if (last !== undefined && 'folded' in last) rows[rows.length - 1] = { at: last.at, folded: last.folded + 1 };
    else rows.push({ at, folded: 1 });
  });
  return rows;
}

function nearChanges(lines: readonly DiffLine[]): Set<number> {
  const near = new Set<number>();
  lines.forEach(({ sign }, at) => {
    if (sign === ' ') return;
    for (let next = at - CONTEXT_LINES; next <= at + CONTEXT_LINES; next += 1) near.add(next);
  });
  return near;
}
