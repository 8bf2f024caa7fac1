import { readFileSync } from 'node:fs';

/** Resident memory of a process in megabytes, as Linux tells it (proc(5)); 0 where it does not, or of none. */
export function residentMb(pid: number): number {
  return readMb(pid, 'VmRSS');
}

/** The most that it has had. */
export function peakResidentMb(pid: number): number {
  return readMb(pid, 'VmHWM');
}

const BYTES_PER_KIB = 1_024;

/** The kernel writes "kB" and means KiB (proc(5)). */
function readMb(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * BYTES_PER_KIB) / 1e6;
  } catch {
    return 0;
  }
}
