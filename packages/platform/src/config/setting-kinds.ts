import { isIP } from 'node:net';
import { decodePercents, parseNetwork, parseUrl, toDomainName } from '@posthorn/platform/network';
import { parseDatabaseUrl } from '@posthorn/platform/postgres';
import Joi from 'joi';
import { EXPECTED_BLOB_STORE, parseBlobStore } from './blob-store.js';
import { EXPECTED_REDIS_URL, parseRedisUrl } from './redis-url.js';
import { isMxUrl } from './relay-url.js';

/**
 * How the text of a variable is read.
 * @property expected ends the sentence "Set it to ..."
 */
export type Kind<Value> = { readonly schema: Joi.AnySchema<Value>; readonly expected: string };

/** Also a limit of sending domains. */
export const MAX_DOMAIN_CHARACTERS = 180;

const MIN_SECRET_CHARACTERS = 32;
const MAX_PORT = 65_535;

/** @param parse returns null if the text is not valid */
export function buildKind<Value>(parse: (text: string) => Value | null, expected: string): Kind<Value> {
  const schema = Joi.any().custom((text: string, { error }) => parse(text) ?? error('any.invalid'));
  return { schema, expected };
}

/** Parts that are separated by commas. */
function buildListKind<Value>(parse: (part: string) => Value | null, expected: string): Kind<Value[]> {
  return buildKind((text) => {
    const values = text.split(',').map((part) => parse(part.trim()));
    return values.includes(null) ? null : (values as Value[]);
  }, expected);
}

const ifTrue = (isValid: (text: string) => boolean) => (text: string) => (isValid(text) ? text : null);

export const anyText: Kind<string> = { schema: Joi.string(), expected: 'a text' };

/** @param why the reason for the minimum: `because ...` */
export function integer(min: number, max: number | null, why?: string): Kind<number> {
  const schema = Joi.number().integer().min(min);
  const range = max === null ? `of at least ${min}` : `from ${min} to ${max}`;
  return {
    schema: max === null ? schema : schema.max(max),
    expected: `a whole number ${range}${why ? `, ${why}` : ''}`,
  };
}

export const port = integer(0, MAX_PORT);

export const ratio: Kind<number> = {
  schema: Joi.number().min(0).max(1),
  expected: 'a number from 0 to 1, such as 0.01',
};

export function choice<Choice extends string>(...choices: readonly Choice[]): Kind<Choice> {
  return { schema: Joi.any().valid(...choices), expected: `one of ${choices.join(', ')}` };
}

/** One or more of the choices, in the order of the choices. */
export function choices<Choice extends string>(...all: readonly Choice[]): Kind<Choice[]> {
  return buildKind(
    (text) => {
      const named = text.split(',').map((part) => part.trim());
      return named.every((name) => all.some((one) => one === name)) ? all.filter((one) => named.includes(one)) : null;
    },
    `one or more of ${all.join(', ')}, separated by commas`,
  );
}

const startsWith =
  (...protocols: readonly string[]) =>
  (text: string) =>
    protocols.includes(parseUrl(text)?.protocol ?? '');

/** As browsers write it, because links in mail are compared with it: in lower case, with A-labels, without a final slash. */
export const httpUrl = buildKind(
  (text) => (startsWith('http:', 'https:')(text) ? new URL(text).href.replace(/\/+$/, '') : null),
  'a URL that starts with http:// or https://',
);

export const smtpUrls = buildListKind(
  ifTrue((text) => isMxUrl(text) || startsWith('smtp:', 'smtps:')(text)),
  'a URL that starts with smtp:// or smtps://, or mx:',
);

export const databaseUrl = buildKind(
  ifTrue((text) => parseDatabaseUrl(text) !== null),
  'a URL that starts with postgres:// or postgresql://. With several hosts, it must include target_session_attrs=read-write',
);

/** Names one host, which may be a standby. */
export const replicaUrl = buildKind(
  ifTrue((text) => parseDatabaseUrl(text)?.mustBeWritable === false),
  'a URL that starts with postgres:// or postgresql:// and names one host, without target_session_attrs=read-write',
);

export const redisUrl = buildKind(
  ifTrue((text) => parseRedisUrl(text) !== null),
  EXPECTED_REDIS_URL,
);

export const blobStore = buildKind(parseBlobStore, EXPECTED_BLOB_STORE);

export const domainName = buildKind((text) => {
  const domain = toDomainName(text);
  return 'name' in domain && domain.name.length <= MAX_DOMAIN_CHARACTERS ? domain.name : null;
}, `a domain name such as mail.example.com, of at most ${MAX_DOMAIN_CHARACTERS} characters`);

export const domainNames = buildListKind((part) => {
  const domain = toDomainName(part);
  return 'name' in domain ? domain.name : null;
}, 'domain names separated by commas, such as zen.spamhaus.org');

const isLongEnough = (text: string) => text.length >= MIN_SECRET_CHARACTERS;

export const secret = buildKind(
  ifTrue(isLongEnough),
  `at least ${MIN_SECRET_CHARACTERS} random characters, such as the output of openssl rand -base64 32`,
);

export const earlierSecrets = buildListKind(
  ifTrue(isLongEnough),
  `earlier values of SECRET_KEY separated by commas, each of at least ${MIN_SECRET_CHARACTERS} characters`,
);

export const socketAddresses = buildListKind(
  ifTrue(isSocketAddress),
  'IP addresses separated by commas, with or without ports, such as 192.0.2.53,[2001:db8::53]:53',
);

/** Every network has a prefix length. */
export const networks = buildListKind(
  parseNetwork,
  'networks in CIDR notation or single IP addresses, separated by commas, such as 10.0.0.0/8,192.0.2.7,fd00::/8',
);

export const delays = buildListKind((part) => {
  const seconds = Number(part || Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}, 'positive delays in seconds, separated by commas, such as 60,300,900');

const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(\S.*?)\s*$/;

/** `name=value,other=value` with percent-encoded values, as OpenTelemetry defines it. */
export const headers = buildKind<Record<string, string>>((text) => {
  const pairs = text.split(',').map((pair) => {
    const [, name, value] = HEADER.exec(pair) ?? [];
    const decoded = value === undefined ? null : decodePercents(value);
    return name === undefined || decoded === null ? null : ([name, decoded] as const);
  });
  return pairs.includes(null) ? null : Object.fromEntries(pairs as [string, string][]);
}, 'names and percent-encoded values separated by commas, such as api-key=s3cret,tenant=1');

/** `192.0.2.53`, `192.0.2.53:53`, `2001:db8::53` or `[2001:db8::53]:53` */
function isSocketAddress(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, v6, v4, digits] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  return isIP(v6 ?? v4 ?? '') !== 0 && Number(digits) > 0 && Number(digits) <= MAX_PORT;
}
