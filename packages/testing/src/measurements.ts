import { readFileSync } from 'node:fs';

/**
 * The resident memory of a process in megabytes, from Linux's /proc (proc(5)); 0 on other systems and for unknown
 * processes.
 */
export function readResidentMb(pid: number): number {
  return readMb(pid, 'VmRSS');
}

/** The peak resident memory so far. */
export function readPeakResidentMb(pid: number): number {
  return readMb(pid, 'VmHWM');
}

const BYTES_PER_KIB = 1_024;

/** The kernel writes "kB" but means KiB (proc(5)). */
function readMb(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * BYTES_PER_KIB) / 1e6;
  } catch {
    return 0;
  }
}

/** @param share for example, 0.99 for the 99th percentile */
export function getPercentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}
