const TIMEOUT_MS = 2_000;

/** A relay as all workers together see it. */
export type RelaySummary = {
  readonly relay: string;
  /** Whether a worker has stopped using it after a failure. */
  readonly failed: boolean;
  readonly sessions: number;
};

/**
 * Reads the metrics of workers.
 * @param urls of their metrics ports
 * @returns the relays that they use, and the workers that did not answer
 */
export async function readWorkers(urls: readonly string[]): Promise<{ relays: RelaySummary[]; unreachable: string[] }> {
  const texts = await Promise.all(urls.map(readMetrics));
  const relays = new Map<string, RelaySummary>();
  for (const text of texts)
    for (const [, relay = '', failed = ''] of (text ?? '').matchAll(
      /^posthorn_relay_failed\{relay="([^"]+)"\} (\d)/gm,
    )) {
      const before = relays.get(relay) ?? { relay, failed: false, sessions: 0 };
      const sessions = before.sessions + sessionsOf(text ?? '', relay);
      relays.set(relay, { relay, failed: before.failed || failed === '1', sessions });
    }
  return { relays: [...relays.values()], unreachable: urls.filter((_, index) => texts[index] === null) };
}

function sessionsOf(text: string, relay: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`posthorn_smtp_sessions{relay="${relay}"} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** @returns null if the worker does not answer */
async function readMetrics(url: string): Promise<string | null> {
  try {
    const response = await fetch(new URL('/metrics', url), { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}
