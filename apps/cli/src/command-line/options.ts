import { type Scope, scopes } from '@posthorn/contract';
import { readAccountEmail } from '@posthorn/domain/accounts';
import { AddressError, parseBareAddress } from '@posthorn/domain/format';
import { limits, MIN_PASSWORD_CHARACTERS } from '@posthorn/domain/limits';
import type { Allowance, LimitChange } from '@posthorn/domain/plans';
import { parseNetwork, toDomainName } from '@posthorn/platform/network';
import { hasControlCharacters, isId } from '@posthorn/platform/values';
import { type Command, InvalidArgumentError } from 'commander';

/** If one of these parsers rejects a value, the command fails with a usage error (exit code 2). */

const MAX_LIMIT_VALUE = 1_000_000_000;
/** A petabyte. */
const MAX_STORAGE_BYTES = 1_000_000_000_000_000;

export function parseEmail(text: string): string {
  return orUsageError(() => readAccountEmail(text));
}

/** An address without a display name. */
export function parseAddress(text: string): string {
  return orUsageError(() => parseBareAddress(text));
}

function orUsageError(parse: () => string): string {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new InvalidArgumentError(`It ${error.message}.`);
  }
}

export function parsePassword(text: string): string {
  const { max } = limits.password;
  if (text.length >= MIN_PASSWORD_CHARACTERS && text.length <= max) return text;
  throw new InvalidArgumentError(`It must be ${MIN_PASSWORD_CHARACTERS} to ${max} characters long.`);
}

/** Accepts 1 to `max` characters on one line and trims surrounding whitespace. */
export function parseName(max: number): (text: string) => string {
  return (text) => {
    const name = text.trim();
    if (name !== '' && name.length <= max && !hasControlCharacters(name)) return name;
    throw new InvalidArgumentError(`It must be 1 to ${max} characters long and on one line.`);
  };
}

export function parseScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !scopes.some((scope) => scope === name));
  if (unknown === undefined) return [...new Set(names)] as Scope[];
  // Nothing else is repeated in the error, because it may be a key that was pasted into the wrong place.
  const mistake = /^[a-z]+:[a-z]+$/.test(unknown) ? `"${unknown}" is not a scope. ` : '';
  throw new InvalidArgumentError(`${mistake}Use a comma-separated list of: ${scopes.join(', ')}.`);
}

/** Domain ids. Whether they exist is checked later. */
export function parseDomainIds(text: string): string[] {
  const ids = splitList(text);
  if (ids.every(isId)) return ids;
  throw new InvalidArgumentError('Use a comma-separated list of domain IDs. posthorn domain list prints them.');
}

export function parseNetworks(text: string): string[] {
  const networks = splitList(text).map(parseNetwork);
  if (networks.length <= limits.keyNetworks.max && !networks.includes(null)) return networks as string[];
  throw new InvalidArgumentError(
    `Use a comma-separated list of up to ${limits.keyNetworks.max} IP addresses or networks, such as 192.0.2.0/24.`,
  );
}

/** Without duplicates. */
function splitList(text: string): string[] {
  return [...new Set(text.split(',').map((part) => part.trim()))];
}

/** A number of sends, `none` for no limit, or `default` for the plan's limit. */
export function parseCap(text: string): number | 'none' | 'default' {
  return text === 'none' || text === 'default' ? text : parseWholeNumber(text, { min: 0, others: 'none or default' });
}

/** What takes back a setting. */
export const NONE = 'none';

/** A value, or `none`. */
export function orNone<Value>(parse: (text: string) => Value): (text: string) => Value | typeof NONE {
  return (text) => (text === NONE ? NONE : parse(text));
}

export function parseDomain(text: string): string {
  const domain = toDomainName(text);
  if ('fault' in domain) throw new InvalidArgumentError(`It ${domain.fault}.`);
  return domain.name;
}

export function parseCount(text: string): number {
  return parseWholeNumber(text, { min: 1 });
}

/** How many entries of a list to print. */
export function parsePageSize(text: string): number {
  return parseWholeNumber(text, { min: 1 });
}

/** Emails per minute, or `default` for the plan's limit. */
export function parseRate(text: string): number | 'default' {
  return text === 'default' ? text : parseWholeNumber(text, { min: 1, others: 'default' });
}

/** Bytes, or `default` for the plan's limit. */
export function parseStorage(text: string): number | 'default' {
  return text === 'default' ? text : parseWholeNumber(text, { min: 1, max: MAX_STORAGE_BYTES, others: 'default' });
}

/** An ISO 8601 time with its offset, because the operator's time zone may not be that of the machine. */
export function parseTime(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('It must be a time with its offset, such as 2026-11-27T06:00:00Z.');
}

function parseWholeNumber(
  text: string,
  { min, max = MAX_LIMIT_VALUE, others }: { min: number; max?: number; others?: string },
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(
    `It must be a whole number from ${min} to ${max}${others === undefined ? '' : `, or ${others}`}.`,
  );
}

export type LimitOptions = {
  monthly?: Cap;
  daily?: Cap;
  rate?: number | 'default';
  overageCap?: Cap;
  storage?: number | 'default';
};

type Cap = ReturnType<typeof parseCap>;

/** The limits that can be set on a workspace and on a plan. */
export function addLimitOptions(command: Command): Command {
  return command
    .option('--monthly <n>', 'sends per month: a number, none or default', parseCap)
    .option('--daily <n>', 'sends per day: a number, none or default', parseCap)
    .option('--rate <n>', 'emails per minute for each API key or user: a number or default', parseRate)
    .option('--overage-cap <n>', 'sends per month beyond the monthly limit: a number, none or default', parseCap)
    .option('--storage <bytes>', 'how many bytes the workspace may keep: a number or default', parseStorage);
}

export function toLimitChange({ monthly, daily, rate, overageCap, storage }: LimitOptions): LimitChange {
  return {
    ...(monthly !== undefined && { monthly: toNullableCap(monthly) }),
    ...(daily !== undefined && { daily: toNullableCap(daily) }),
    ...(rate !== undefined && { rate }),
    ...(overageCap !== undefined && { overage: toNullableCap(overageCap) }),
    ...(storage !== undefined && { storage }),
  };
}

function toNullableCap(cap: Cap): number | null | 'default' {
  return cap === 'none' ? null : cap;
}

/** null means no limit. A plan that does not allow overage has an overage cap of 0. */
export function viewLimits({ plan, monthly, monthlyCap, daily, overage, ratePerMinute, storageBytes }: Allowance) {
  const isUncapped = overage !== null && monthlyCap === null;
  return {
    plan: plan.id,
    monthly,
    daily,
    ratePerMinute,
    overageCap: isUncapped ? null : (monthlyCap ?? 0) - (monthly ?? 0),
    storageBytes,
  };
}
