import { once } from 'node:events';
import { connect } from 'node:tls';
import { reasonOf } from '../errors.js';
import { evaluateCertificate } from './certificate.js';
import { type Check, type CheckOutcome, failed, ok, skipped } from './check.js';

const TIMEOUT_MS = 8_000;

/** @param url null if the variable is not set */
export function urlCheck(variable: string, url: string | null, now: Date): Check {
  return {
    name: variable,
    run: async () => (url === null ? skipped(`${variable} is not set`) : checkUrl(variable, url, now)),
  };
}

/** Requests /healthz, as clients and browsers would reach it. */
async function checkUrl(variable: string, url: string, now: Date): Promise<CheckOutcome> {
  const fix = `Check ${variable}, the proxy in front of it, and DNS.`;
  try {
    const { status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' });
    if (status !== 200) return failed(`${url}/healthz answers ${status}`, fix);
  } catch (error) {
    return failed(`${url} cannot be reached: ${reasonOf((error as Error).cause ?? error)}`, fix);
  }
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return ok(`${url} answers, without TLS`);
  return evaluateCertificate(url, await readCertificate(hostname, Number(port || 443)), now);
}

async function readCertificate(host: string, port: number): Promise<{ validTo: Date; fault: string | null }> {
  const socket = connect({ host, port, servername: host, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const fault = socket.authorized ? null : String(socket.authorizationError);
    return { validTo: new Date(socket.getPeerCertificate().valid_to), fault };
  } finally {
    socket.destroy();
  }
}
