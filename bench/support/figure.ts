/** What was measured of one thing in several rounds: a table shows its text, JSON holds all of it. */
export type Figure = { readonly text: string; readonly median: number; readonly samples: readonly number[] };

/** Of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return (low + high) / 2;
}

/** `3,430 (3,270-3,660)`: the median with its range, for machines are noisy. @param digits after the point */
export function spread(samples: readonly number[], digits = 0): Figure {
  const text = (value: number) =>
    value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const range = `${text(Math.min(...samples))}-${text(Math.max(...samples))}`;
  return { text: `${text(median(samples))} (${range})`, median: median(samples), samples };
}

/** The median alone. @param digits after the point */
export function middle(samples: readonly number[], digits = 0): Figure {
  return { text: median(samples).toFixed(digits), median: median(samples), samples };
}
