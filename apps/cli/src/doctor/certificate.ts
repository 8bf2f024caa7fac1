import { type CheckOutcome, failed, ok } from './check.js';

/** Certificates are usually renewed a month before they expire. */
const MIN_DAYS_LEFT = 14;
const DAY_MS = 86_400_000;

/** @param fault why the certificate is not trusted; null if it is */
export function evaluateCertificate(
  server: string,
  { validTo, fault }: { readonly validTo: Date; readonly fault: string | null },
  now: Date,
): CheckOutcome {
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  const expiry = `until ${validTo.toISOString().slice(0, 10)}`;
  if (fault !== null) return failed(`${server}: the certificate is not valid (${fault})`, 'Replace the certificate.');
  if (days < MIN_DAYS_LEFT)
    return failed(`${server}: the certificate is valid only ${expiry}`, 'Renew the certificate now.');
  return ok(`${server} answers; its certificate is valid ${expiry}`);
}
