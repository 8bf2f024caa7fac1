import { execFileSync } from 'node:child_process';

/** RSA-2048 signatures per second of CPU time on one core, from `openssl speed`; null if it is not installed. */
export function opensslSignsPerSecond(): number | null {
  try {
    const text = execFileSync('openssl', ['speed', '-seconds', '1', '-mr', 'rsa2048'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const rate = Number(/^\+F2:\d+:2048:([\d.]+):/m.exec(text)?.[1]);
    return rate > 0 ? rate : null;
  } catch {
    return null;
  }
}
