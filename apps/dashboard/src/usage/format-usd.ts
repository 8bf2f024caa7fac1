const usd = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  trailingZeroDisplay: 'stripIfInteger',
});

/** @param amount in US dollars: 20 is `$20`, 1.5 is `$1.50` */
export function formatUsd(amount: number): string {
  return usd.format(amount);
}
