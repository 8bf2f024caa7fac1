/** One figure from several rounds. Tables show `text`, and the JSON contains everything. */
export type Figure = { readonly text: string; readonly median: number; readonly samples: readonly number[] };

/** If the number of values is even, the median is the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return (low + high) / 2;
}

/** `3,430 (3,270-3,660)`: the median and the range, because machines are noisy. @param digits decimal places */
export function medianWithRange(samples: readonly number[], digits = 0): Figure {
  const text = (value: number) =>
    value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const range = `${text(Math.min(...samples))}-${text(Math.max(...samples))}`;
  return { text: `${text(median(samples))} (${range})`, median: median(samples), samples };
}

/** The median without the range. @param digits decimal places */
export function medianFigure(samples: readonly number[], digits = 0): Figure {
  return { text: median(samples).toFixed(digits), median: median(samples), samples };
}
