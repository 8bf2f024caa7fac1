const KB = 1_000;
const MB = 1_000_000;

/** `840 bytes`, `12.3 kB`, `1.5 MB` */
export function formatBytes(bytes: number): string {
  if (bytes < KB) return `${bytes.toLocaleString()} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const [unit, size] = bytes < MB ? ['kB', KB] : ['MB', MB];
  return `${(bytes / Number(size)).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`;
}
