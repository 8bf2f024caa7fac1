import { parseRelayUrl } from '@posthorn/platform/config';
import { parseUrl } from '@posthorn/platform/network';
import { reasonOf } from '../errors.js';
import { evaluateCertificate } from './certificate.js';
import { type Check, type CheckOutcome, failed, ok, skipped } from './check.js';
import { greetServer, type SmtpSession } from './greet-server.js';

const TIMEOUT_MS = 8_000;

/** @param smtpUrl the value of SMTP_URL */
export function relayChecks(smtpUrl: string | undefined, now: Date): Check[] {
  if (!smtpUrl) return [{ name: 'relays', run: async () => skipped('SMTP_URL is not set') }];
  return smtpUrl.split(',').map((url) => {
    const text = url.trim();
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
    return failed(reasonOf(error), 'Check SMTP_URL, the firewall, and whether the mail server runs.');
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
