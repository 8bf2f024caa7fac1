const usd = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  trailingZeroDisplay: 'stripIfInteger',
});

/** 20 gives `$20`, and 1.5 gives `$1.50`. */
export function formatUsd(amount: number): string {
  return usd.format(amount);
}
