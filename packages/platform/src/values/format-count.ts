/** `1,203` */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 send`, `1,203 sends` */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
