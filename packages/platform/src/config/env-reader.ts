import { isIP } from 'node:net';
import { parseNetwork, parseUrl, toDomainName } from '@posthorn/platform/network';
import { parseDatabaseUrl } from '@posthorn/platform/postgres';
import { type BlobStoreSetting, EXPECTED_BLOB_STORE, parseBlobStore } from './blob-store-setting.js';
import { parseHeaders } from './parse-headers.js';
import { EXPECTED_REDIS_URL, parseRedisUrl } from './parse-redis-url.js';

/** A limit of sending domains. A test compares it with that of the domain. */
export const MAX_DOMAIN_CHARACTERS = 180;

type Env<Name extends string> = Readonly<Record<Name, string | undefined>>;

/**
 * Reads variables as typed values and collects all faults, so that they can be reported together. An invalid variable
 * still yields a value of the right type, so the caller must check `faults` at the end.
 */
export function envReader<Name extends string>(env: Env<Name>) {
  const { faults, fault, check } = faultsOf(env);
  return {
    faults,
    ...listReader(env, check),
    ...secretReader(env, check),
    /** @param fallback the default; null makes the variable required */
    url(name: Name, protocols: string[], fallback: string | null = null): string {
      return toUrl(env[name] ?? fallback ?? '', protocols, (expected) => fault(name, expected));
    },
    databaseUrl: (name: Name) =>
      check(env[name] ?? '', parseDatabaseUrl(env[name] ?? '') !== null, [name, EXPECTED_DATABASE_URL]),
    /** Names one host, which may be a standby. */
    replicaUrl(name: Name): string {
      const servers = parseDatabaseUrl(env[name] ?? '');
      return check(env[name] ?? '', servers !== null && !servers.mustBeWritable, [name, EXPECTED_REPLICA_URL]);
    },
    redisUrl: (name: Name) =>
      check(env[name] ?? '', parseRedisUrl(env[name] ?? '') !== null, [name, EXPECTED_REDIS_URL]),
    urls(name: Name, protocols: string[]): string[] {
      const parts = (env[name] ?? '').split(',').map((part) => part.trim());
      return parts.map((part) => toUrl(part, protocols, (expected) => fault(name, expected)));
    },
    blobStore: (name: Name) => toBlobStore(env[name] ?? 'postgres', (expected) => fault(name, expected)),
    /** @param taken the value must be neither this domain nor a parent domain of it */
    domain(name: Name, fallback: string | null, taken: string | null = null): string {
      const domain = toDomainName(env[name] ?? fallback ?? '');
      const isValid = 'name' in domain && isAllowedDomain(domain.name, taken);
      return check(isValid ? domain.name : '', isValid, [name, describeDomain(taken)]);
    },
    integer(name: Name, range: IntegerRange): number {
      const value = Number(env[name] ?? range.fallback);
      const isValid = Number.isSafeInteger(value) && value >= range.min && value <= (range.max ?? value);
      return check(value, isValid, [name, describeRange(range)]);
    },
    ratio(name: Name, fallback: number): number {
      const value = Number(env[name] ?? fallback);
      return check(value, value >= 0 && value <= 1, [name, 'a number from 0 to 1, such as 0.01']);
    },
    /** The first choice is the default. */
    choice<T extends string>(name: Name, choices: readonly [T, ...T[]]): T {
      const value = choices.find((choice) => choice === (env[name] ?? choices[0]));
      return check(value ?? choices[0], value !== undefined, [name, `one of ${[...new Set(choices)].join(', ')}`]);
    },
  };
}

/** Reads secrets, and files with secrets. */
function secretReader<Name extends string>(env: Env<Name>, check: Check<Name>) {
  return {
    secret(name: Name, fallback: string | null): string {
      const text = env[name] ?? fallback ?? '';
      return check(text, text.length >= MIN_SECRET_CHARACTERS, [
        name,
        `at least ${MIN_SECRET_CHARACTERS} random characters, such as the output of openssl rand -base64 32`,
      ]);
    },
    /** Two variables that are set together or not at all. @returns null if neither is set */
    pair(name: Name, other: Name, expected: string): readonly [string, string] | null {
      const [one, two] = [env[name], env[other]];
      if (one === undefined && two === undefined) return null;
      check(one, one !== undefined, [name, expected]);
      check(two, two !== undefined, [other, expected]);
      return [one ?? '', two ?? ''];
    },
    /** Returns an empty array if the variable is not set. */
    secrets(name: Name): string[] {
      const secrets = env[name]?.split(',').map((text) => text.trim()) ?? [];
      const isValid = secrets.every((text) => text.length >= MIN_SECRET_CHARACTERS);
      return check(secrets, isValid, [
        name,
        `earlier values of SECRET_KEY separated by commas, each of at least ${MIN_SECRET_CHARACTERS} characters`,
      ]);
    },
  };
}

/** Reads lists that are separated by commas. */
function listReader<Name extends string>(env: Env<Name>, check: Check<Name>) {
  return {
    /** Returns an empty array if the variable is not set. */
    socketAddresses(name: Name): string[] {
      const parts = env[name]?.split(',').map((part) => part.trim()) ?? [];
      const expected = 'IP addresses separated by commas, with or without ports, such as 192.0.2.53,[2001:db8::53]:53';
      return check(parts, parts.every(isSocketAddress), [name, expected]);
    },
    /** Returns an empty array if the variable is not set. Every network has a prefix length. */
    networks(name: Name): string[] {
      const parsed = env[name]?.split(',').map((part) => parseNetwork(part.trim())) ?? [];
      const networks = parsed.filter((network) => network !== null);
      return check(networks, networks.length === parsed.length, [name, EXPECTED_NETWORKS]);
    },
    /** One or more of the choices. All of them are the default. */
    choices<T extends string>(name: Name, choices: readonly T[]): T[] {
      const texts = (env[name] ?? choices.join()).split(',').map((text) => text.trim());
      const values = choices.filter((choice) => texts.includes(choice));
      const expected = `one or more of ${choices.join(', ')}, separated by commas`;
      return check(values, values.length > 0 && texts.every((text) => choices.includes(text as T)), [name, expected]);
    },
    headers(name: Name): Record<string, string> {
      const headers = env[name] === undefined ? {} : parseHeaders(env[name]);
      return check(headers ?? {}, headers !== null, [name, EXPECTED_HEADERS]);
    },
    seconds(name: Name, fallback: string): number[] {
      const values = (env[name] ?? fallback).split(',').map((text) => Number(text.trim() || Number.NaN));
      const isValid = values.every((value) => Number.isFinite(value) && value > 0);
      return check(values, isValid, [name, 'positive delays in seconds, separated by commas, such as 60,300,900']);
    },
  };
}

/** @property why the reason for the minimum: `because ...` */
type IntegerRange = {
  readonly fallback: number;
  readonly min: number;
  readonly max?: number;
  readonly why?: string;
};

function isAllowedDomain(name: string, taken: string | null): boolean {
  return name.length <= MAX_DOMAIN_CHARACTERS && !`.${taken}`.endsWith(`.${name}`);
}

function describeDomain(taken: string | null): string {
  const expected = `a domain name such as mail.example.com, of at most ${MAX_DOMAIN_CHARACTERS} characters`;
  return taken === null ? expected : `${expected}. It must not be ${taken} or a parent domain of it`;
}

function describeRange({ min, max, why }: IntegerRange): string {
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return `a whole number ${range}${why ? `, ${why}` : ''}`;
}

/** Records a fault if the value is not valid. */
type Check<Name extends string> = ReturnType<typeof faultsOf<Name>>['check'];

function faultsOf<Name extends string>(env: Env<Name>) {
  const faults: string[] = [];

  function fault(name: Name, expected: string): void {
    const state = env[name] === undefined ? 'is missing' : 'is not valid';
    faults.push(`${name} ${state}. Set it to ${expected}.`);
  }

  function check<Value>(value: Value, isValid: boolean, [name, expected]: [Name, string]): Value {
    if (!isValid) fault(name, expected);
    return value;
  }

  return { faults, fault, check };
}

const EXPECTED_DATABASE_URL =
  'a URL that starts with postgres:// or postgresql://. With several hosts, it must include target_session_attrs=read-write';

const EXPECTED_REPLICA_URL =
  'a URL that starts with postgres:// or postgresql:// and names one host, without target_session_attrs=read-write';

const EXPECTED_NETWORKS =
  'networks in CIDR notation or single IP addresses, separated by commas, such as 10.0.0.0/8,192.0.2.7,fd00::/8';

const MIN_SECRET_CHARACTERS = 32;

const EXPECTED_HEADERS = 'names and percent-encoded values separated by commas, such as api-key=s3cret,tenant=1';

function toBlobStore(text: string, fault: (expected: string) => void): BlobStoreSetting {
  const setting = parseBlobStore(text);
  if (setting === null) fault(EXPECTED_BLOB_STORE);
  return setting ?? { kind: 'postgres' };
}

function toUrl(text: string, protocols: string[], fault: (expected: string) => void): string {
  const isValid = protocols.includes(parseUrl(text)?.protocol ?? '');
  if (!isValid) fault(`a URL that starts with ${protocols.join('// or ')}//`);
  return text;
}

/** `192.0.2.53`, `192.0.2.53:53`, `2001:db8::53` or `[2001:db8::53]:53` */
function isSocketAddress(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, v6, v4, port] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  return isIP(v6 ?? v4 ?? '') !== 0 && Number(port) > 0 && Number(port) <= 65_535;
}
