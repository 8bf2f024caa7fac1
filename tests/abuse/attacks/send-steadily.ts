import { Agent, type RequestOptions, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { getPercentile } from '@posthorn/testing';
import type { Download } from './attack.js';

/** The second tenant's latencies: milliseconds from when a request was due until its response was complete. */
export type Latencies = { readonly p50: number; readonly p99: number; readonly sends: number; readonly failed: number };

const SEND_EVERY_MS = 20;
const DOWNLOAD_EVERY_MS = 500;

/** Sends 50 emails a second, whether or not earlier ones have been answered. */
export function sendSteadily({ url, key }: { url: string; key: string }, seconds: number): Promise<Latencies> {
  const body = JSON.stringify({ to: ['jane@example.com'], subject: 'Your code', text: '123456' });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const options = { method: 'POST', headers: { ...headers, Authorization: `Bearer ${key}` } };
  return requestSteadily({ everyMs: SEND_EVERY_MS, seconds, expected: 202 }, (agent) =>
    send(`${url}/api/v1/emails`, { ...options, agent }, body),
  );
}

/** Downloads a message twice a second. */
export function downloadSteadily(url: string, { key, path }: Download, seconds: number): Promise<Latencies> {
  const options = { headers: { Authorization: `Bearer ${key}` } };
  return requestSteadily({ everyMs: DOWNLOAD_EVERY_MS, seconds, expected: 200 }, (agent) =>
    send(`${url}${path}`, { ...options, agent }),
  );
}

type SteadyRequests = { readonly everyMs: number; readonly seconds: number; readonly expected: number };

async function requestSteadily(
  { everyMs, seconds, expected }: SteadyRequests,
  makeRequest: (agent: Agent) => Promise<number>,
): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const waits: number[] = [];
  let failed = 0;
  const startedAt = performance.now();
  const sends: Array<Promise<void>> = [];
  const count = Math.floor((seconds * 1_000) / everyMs);
  for (let sent = 0; sent < count; sent += 1) {
    const dueAt = startedAt + sent * everyMs;
    const pause = dueAt - performance.now();
    if (pause > 0) await sleep(pause);
    sends.push(
      makeRequest(agent).then((status) => {
        waits.push(performance.now() - dueAt);
        if (status !== expected) failed += 1;
      }),
    );
  }
  await Promise.all(sends);
  agent.destroy();
  const at = (share: number) => getPercentile(waits, share) ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), sends: count, failed };
}

/** @returns the HTTP status, or 0 if there was no response */
function send(url: string, options: RequestOptions, body?: string): Promise<number> {
  return new Promise((resolve) => {
    const client = request(url, options, (response) => {
      response
        .resume()
        .on('end', () => resolve(response.statusCode ?? 0))
        .on('error', () => resolve(0));
    });
    client.on('error', () => resolve(0));
    client.end(body);
  });
}
