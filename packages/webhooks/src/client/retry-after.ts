import { limits } from '@posthorn/domain/limits';

/** The only three formats of dates in HTTP (RFC 9110, 5.6.7). The last one names no time zone. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Reads a Retry-After header (RFC 9110, 10.2.3).
 *
 * @param now in milliseconds since 1970
 * @returns seconds from now, up to `limits.webhookRetryAfterSeconds`, or null if the header is missing or not valid
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((parseHttpDate(text) - now) / 1_000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), limits.webhookRetryAfterSeconds.max);
}

function parseHttpDate(text: string): number {
  if (HTTP_DATE.test(text)) return Date.parse(text);
  return ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
