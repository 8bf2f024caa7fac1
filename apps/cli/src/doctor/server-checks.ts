import { isMxUrl, parseRelayUrl } from '@posthorn/platform/config';
import { parseUrl } from '@posthorn/platform/network';
import { DAY_MS } from '@posthorn/platform/values';
import { describeReason } from '../command-line/errors.js';
import { type Check, type CheckOutcome, failed, ok, skipped } from './check.js';
import { type Certificate, greetServer, readCertificate, type SmtpSession } from './greet-server.js';

const TIMEOUT_MS = 8_000;

/** @param smtpUrl the value of SMTP_URL */
export function buildRelayChecks(smtpUrl: string | undefined, now: Date): Check[] {
  if (!smtpUrl) return [{ name: 'relays', run: async () => skipped('SMTP_URL is not set') }];
  const urls = smtpUrl.split(',').map((url) => url.trim());
  return urls
    .filter((url) => !isMxUrl(url))
    .map((text) => {
      if (parseUrl(text) === null)
        return { name: 'relay', run: async () => failed('SMTP_URL is not valid', 'Set it to smtp://host:587.') };
      const { name } = parseRelayUrl(text);
      return { name: `relay ${name}`, run: () => checkRelay(text, now) };
    });
}

/** Opens a session as a worker does, but does not log in and sends nothing. */
async function checkRelay(url: string, now: Date): Promise<CheckOutcome> {
  const relay = parseRelayUrl(url);
  try {
    const { host, port, secure } = relay;
    const session = await greetServer({ host, port, isTls: secure }, AbortSignal.timeout(TIMEOUT_MS));
    return evaluateRelay(relay, session, now);
  } catch (error) {
    return failed(describeReason(error), 'Check SMTP_URL, the firewall, and whether the mail server runs.');
  }
}

export function evaluateRelay(
  { requireTls, verifyCertificate }: Pick<ReturnType<typeof parseRelayUrl>, 'requireTls' | 'verifyCertificate'>,
  { greeting, tls }: SmtpSession,
  now: Date,
): CheckOutcome {
  const name = greeting.split(' ')[0] ?? '';
  if (tls === null)
    return requireTls
      ? failed(`${name} does not offer STARTTLS`, 'Use another port or smtps://. Mail and passwords need TLS.')
      : ok(`${name} answers, without TLS`);
  if (!verifyCertificate) return ok(`${name} answers with TLS; its certificate is not verified`);
  return evaluateCertificate(name, tls, now);
}

const URL_TIMEOUT_MS = 8_000;

/** @param url null if the variable is not set */
export function buildUrlCheck(variable: string, url: string | null, now: Date): Check {
  return {
    name: variable,
    run: async () => (url === null ? skipped(`${variable} is not set`) : checkUrl(variable, url, now)),
  };
}

/** Requests /healthz, as clients and browsers would reach it. */
async function checkUrl(variable: string, url: string, now: Date): Promise<CheckOutcome> {
  const fix = `Check ${variable}, the proxy in front of it, and DNS.`;
  try {
    const { status } = await fetch(`${url}/healthz`, {
      signal: AbortSignal.timeout(URL_TIMEOUT_MS),
      redirect: 'manual',
    });
    if (status !== 200) return failed(`${url}/healthz answers ${status}`, fix);
  } catch (error) {
    return failed(`${url} cannot be reached: ${describeReason((error as Error).cause ?? error)}`, fix);
  }
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return ok(`${url} answers, without TLS`);
  return evaluateCertificate(
    url,
    await readCertificate(hostname, Number(port || 443), AbortSignal.timeout(URL_TIMEOUT_MS)),
    now,
  );
}

/** Certificates are usually renewed a month before they expire. */
const MIN_DAYS_LEFT = 14;

export function evaluateCertificate(server: string, { validTo, fault }: Certificate, now: Date): CheckOutcome {
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  const expiry = `until ${validTo.toISOString().slice(0, 10)}`;
  if (fault !== null) return failed(`${server}: the certificate is not valid (${fault})`, 'Replace the certificate.');
  if (days < MIN_DAYS_LEFT)
    return failed(`${server}: the certificate is valid only ${expiry}`, 'Renew the certificate now.');
  return ok(`${server} answers; its certificate is valid ${expiry}`);
}
