import { isIPv4, isIPv6 } from 'node:net';
import { type Rate, RELAY_NAME, type Source } from './relay.js';
import type { Via } from './route.js';

/** How the values of the settings of relays and routes are written. Each function returns null if the text is not valid. */

const SECONDS = { sec: 1, min: 60, hour: 3_600, day: 86_400 } as const;

export const EXPECTED_RATE = 'Use a number of recipients and a unit: 10/sec, 100/min, 5000/hour or 50000/day.';

export function parseRate(text: string): Rate | null {
  const [, count, unit] = /^(\d{1,9})\/(sec|min|hour|day)$/.exec(text.trim()) ?? [];
  const recipients = Number(count);
  return recipients > 0 ? { recipients, seconds: SECONDS[unit as keyof typeof SECONDS] } : null;
}

export function formatRate({ recipients, seconds }: Rate): string {
  const [unit] = Object.entries(SECONDS).find(([, each]) => each === seconds) ?? [`${seconds} s`];
  return `${recipients}/${unit}`;
}

export const EXPECTED_WARM_UP =
  'Use the recipients of the first, second, ... day with mail, separated by commas, such as 50,100,200.';

const MAX_WARM_UP_DAYS = 100;
const MAX_RECIPIENTS = 1_000_000_000;

export function parseWarmUp(text: string): number[] | null {
  const days = text.split(',').map((part) => (/^\s*\d{1,10}\s*$/.test(part) ? Number(part) : 0));
  const isValid = days.length <= MAX_WARM_UP_DAYS && days.every((count) => count > 0 && count <= MAX_RECIPIENTS);
  return isValid ? days : null;
}

export const EXPECTED_SOURCE = 'Use an IPv4 address of this machine, an IPv6 address, or both separated by a comma.';

export function parseSource(text: string): Source | null {
  const parts = text.split(',').map((part) => part.trim());
  const [ipv4 = null] = parts.filter(isIPv4);
  const [ipv6 = null] = parts.filter(isIPv6);
  return [ipv4, ipv6].filter((address) => address !== null).length === parts.length ? { ipv4, ipv6 } : null;
}

export const EXPECTED_VIA = 'Use names of relays with weights from 1 to 1000, separated by commas, such as a=3,b=1.';

const MAX_WEIGHT = 1_000;

/** `a=3,b=1`; `a` is `a=1`. */
export function parseVia(text: string): Via[] | null {
  const via = text.split(',').map((part) => {
    const [relay = '', weight = '1', ...others] = part.trim().split('=');
    return { relay, weight: others.length === 0 && /^\d{1,4}$/.test(weight) ? Number(weight) : 0 };
  });
  const isValid = via.every(({ relay, weight }) => RELAY_NAME.test(relay) && weight > 0 && weight <= MAX_WEIGHT);
  return isValid && new Set(via.map(({ relay }) => relay)).size === via.length ? via : null;
}
