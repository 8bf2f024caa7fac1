import { HOUR_MS, MINUTE_MS } from '@posthorn/platform/values';

/** Words that say that a time is how long to wait. "100 messages in 60 minutes" is a limit. */
const WAIT = String.raw`\b(?:again|back|retry|resend|wait|later|delay(?:ed)?|gr[ea]y[- ]?list(?:ed|ing)?|(?:blocked|deferred|limited) for)\b[^.;\d]{0,30}`;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: MINUTE_MS / 1_000, h: HOUR_MS / 1_000 };
const AMOUNT = new RegExp(String.raw`${WAIT}\b(\d{1,6}) ?(s|m|h)(?:ec(?:ond)?s?|in(?:ute)?s?|(?:ou)?rs?)?\b`, 'i');
const CLOCK = new RegExp(String.raw`${WAIT}\b(\d\d):(\d\d):(\d\d)\b`, 'i');
/** A longer wait would use up most of the time that an email has. */
const MAX_DELAY_SECONDS = 24 * 3_600;
const MAX_CHARACTERS = 1_000;

/** How long a reply asks us to wait, such as "try again in 5 minutes"; null if it names no time. */
export function findNamedDelay(text: string): number | null {
  const start = text.slice(0, MAX_CHARACTERS);
  const [, hours, minutes, seconds] = CLOCK.exec(start) ?? [];
  const [, amount, unit = ''] = AMOUNT.exec(start) ?? [];
  const clock = hours === undefined ? 0 : Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  const delay = clock || Number(amount ?? 0) * (UNITS[unit.toLowerCase()] ?? 0);
  return delay === 0 ? null : Math.min(delay, MAX_DELAY_SECONDS);
}
