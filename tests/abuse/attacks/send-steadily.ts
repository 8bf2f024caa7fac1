import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { getPercentile } from '@posthorn/testing';

/** The second tenant's latencies: milliseconds from when a request was due until its response was complete. */
export type Latencies = { readonly p50: number; readonly p99: number; readonly sends: number; readonly failed: number };

const EVERY_MS = 20;

/** Sends 50 emails a second, whether or not earlier ones have been answered. */
export async function sendSteadily({ url, key }: { url: string; key: string }, seconds: number): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const body = JSON.stringify({ to: ['jane@example.com'], subject: 'Your code', text: '123456' });
  const waits: number[] = [];
  let failed = 0;
  const startedAt = performance.now();
  const sends: Array<Promise<void>> = [];
  const count = (seconds * 1_000) / EVERY_MS;
  for (let sent = 0; sent < count; sent += 1) {
    const dueAt = startedAt + sent * EVERY_MS;
    const pause = dueAt - performance.now();
    if (pause > 0) await sleep(pause);
    sends.push(
      send(agent, { url, key, body }).then((status) => {
        waits.push(performance.now() - dueAt);
        if (status !== 202) failed += 1;
      }),
    );
  }
  await Promise.all(sends);
  agent.destroy();
  const at = (share: number) => getPercentile(waits, share) ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), sends: count, failed };
}

/** @returns the HTTP status, or 0 if there was no response */
function send(agent: Agent, { url, key, body }: { url: string; key: string; body: string }): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const client = request(`${url}/api/v1/emails`, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    client.on('error', () => resolve(0));
    client.end(body);
  });
}
