import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { toRelaxedBody, toRelaxedHeader } from './dkim.js';

/** A DKIM signature (RFC 6376) whose body hash is right. Whether the signer made it, only the public key shows. */
export type DkimSignature = {
  /** The d= tag, in lower case. */
  readonly domain: string;
  readonly selector: string;
  /** The names of the header fields that it covers, wherever they are in the header; in lower case. */
  readonly signedFields: ReadonlySet<string>;
  readonly algorithm: 'rsa' | 'ed25519';
  /** Whether the i= tag names a subdomain, which some keys do not allow. */
  readonly isForSubdomain: boolean;
  readonly signedData: Buffer;
  readonly signature: Buffer;
};

/** A received message, as far as its signatures are concerned. */
export type SignedMessage = {
  /** The values of the header fields with this name in lower case, from the first to the last. */
  getAll(name: string): readonly string[];
  readonly body: Buffer;
  readonly signatures: readonly DkimSignature[];
};

const SIGNATURE = 'dkim-signature';
/** Senders add one or two, and each costs a hash. */
const MAX_SIGNATURES = 4;
/** Real headers have a few kilobytes. A longer one is not read. */
const MAX_HEADER_BYTES = 64_000;
/** Senders sign up to thirty fields. */
const MAX_SIGNED_FIELDS = 100;

/** The fields of a header by their names in lower case, in their order. */
type Fields = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a message and its signatures. Those that do not fit the message, have expired, or leave out the end of the body
 * (the l= tag, RFC 6376, 8.2) are left out.
 * @param message as it was received, with CRLF
 */
export function readSignedMessage(message: Buffer, now: Date): SignedMessage {
  const end = message.subarray(0, MAX_HEADER_BYTES).indexOf('\r\n\r\n');
  const fields = parseFields(message.toString('latin1', 0, Math.max(end, 0)));
  const body = end === -1 ? Buffer.alloc(0) : message.subarray(end + 4);
  const hashBody = createBodyHasher(body);
  return {
    getAll: (name) => (fields.get(name) ?? []).map(getValue),
    body,
    signatures: (fields.get(SIGNATURE) ?? []).slice(0, MAX_SIGNATURES).flatMap((field) => {
      const tags = parseDkimTags(getValue(field));
      if (tags === null || !isValid(tags, now)) return [];
      return toSignature({ field, fields, tags, hashBody }) ?? [];
    }),
  };
}

function parseFields(header: string): Fields {
  const fields = new Map<string, string[]>();
  for (const field of header.split(/\r\n(?![ \t])/)) {
    const name = getName(field);
    const known = fields.get(name);
    if (known) known.push(field);
    else fields.set(name, [field]);
  }
  return fields;
}

/** The tags of a signature or a key (RFC 6376, 3.2). */
type Tags = ReadonlyMap<string, string>;

/** Whether a verifier can use a signature at all (RFC 6376, 6.1.1). */
function isValid(tags: Tags, now: Date): boolean {
  const expiry = Number(tags.get('x') ?? Number.POSITIVE_INFINITY) * 1_000;
  return (
    tags.get('v') === '1' &&
    !tags.has('l') &&
    expiry >= now.getTime() &&
    splitTag(tags.get('q') ?? 'dns/txt').includes('dns/txt') &&
    isSubdomain(toSigner(tags), tags.get('d')?.toLowerCase() ?? '')
  );
}

/** The domain of the i= tag, which may be a subdomain of the one whose key is used. */
function toSigner(tags: Tags): string {
  const identity = (tags.get('i') ?? `@${tags.get('d')}`).toLowerCase();
  return identity.slice(identity.lastIndexOf('@') + 1);
}

/** Whether the name is the domain, or is in it. */
export function isSubdomain(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

function splitTag(value: string): string[] {
  return value.split(':').map((each) => each.trim().toLowerCase());
}

const ALGORITHMS = new Map<string, DkimSignature['algorithm']>([
  ['rsa-sha256', 'rsa'],
  ['ed25519-sha256', 'ed25519'],
]);
const CANONICALIZATIONS = ['simple', 'relaxed'];
const DNS_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i;
const MAX_DNS_NAME = 253;

type SignatureParts = {
  readonly field: string;
  readonly fields: Fields;
  readonly tags: Tags;
  readonly hashBody: (canonicalization: string) => string;
};

/** @returns null if the signature is malformed, does not cover From, or the body is another one */
function toSignature({ field, fields, tags, hashBody }: SignatureParts): DkimSignature | null {
  const get = (name: string, otherwise = '') => tags.get(name) ?? otherwise;
  const algorithm = ALGORITHMS.get(get('a').toLowerCase());
  const domain = get('d').toLowerCase();
  const selector = get('s');
  const [header = '', body = 'simple'] = get('c', 'simple').toLowerCase().split('/');
  const names = splitTag(get('h'));
  const isUsable =
    isDnsName(toDkimKeyName({ selector, domain })) &&
    [header, body].every((each) => CANONICALIZATIONS.includes(each)) &&
    names.includes('from') &&
    names.length <= MAX_SIGNED_FIELDS &&
    hashBody(body) === get('bh').replace(/\s/g, '');
  if (algorithm === undefined || !isUsable) return null;
  return {
    domain,
    selector,
    algorithm,
    isForSubdomain: toSigner(tags) !== domain,
    signedFields: new Set(names.filter((name) => isCovered(name, names, fields))),
    signedData: toSignedData(field, pickSigned(names, fields), header === 'relaxed' ? toRelaxedHeader : null),
    signature: Buffer.from(get('b'), 'base64'),
  };
}

function isDnsName(name: string): boolean {
  return name.length <= MAX_DNS_NAME && DNS_NAME.test(name);
}

/** Whether no field of this name was left out. */
function isCovered(name: string, names: readonly string[], fields: Fields): boolean {
  return names.filter((each) => each === name).length >= (fields.get(name)?.length ?? 0);
}

/** @param canonicalize null for the simple algorithm, which changes nothing */
function toSignedData(
  field: string,
  signed: readonly string[],
  canonicalize: ((field: string) => string) | null,
): Buffer {
  const toText = (text: string) => canonicalize?.(text) ?? text;
  const lines = signed.map((each) => `${toText(each)}\r\n`);
  return Buffer.from([...lines, toText(withoutSignature(field))].join(''), 'latin1');
}

/** A name that is listed several times stands for several fields, the last of the message first (RFC 6376, 5.4.2). */
function pickSigned(names: readonly string[], fields: Fields): string[] {
  const seen = new Map<string, number>();
  return names.flatMap((name) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return fields.get(name)?.at(-times) ?? [];
  });
}

/** The b= tag is empty in what is signed (RFC 6376, 3.7). */
function withoutSignature(field: string): string {
  const colon = field.indexOf(':') + 1;
  return field.slice(0, colon) + field.slice(colon).replace(/((?:^|;)[ \t\r\n]*b[ \t\r\n]*=)[^;]*/, '$1');
}

function createBodyHasher(body: Buffer): SignatureParts['hashBody'] {
  const hashes = new Map<string, string>();
  return (canonicalization) => {
    const known = hashes.get(canonicalization);
    if (known !== undefined) return known;
    const canonical = canonicalization === 'relaxed' ? toRelaxedBody(body) : toSimpleBody(body);
    const hash = createHash('sha256').update(canonical).digest('base64');
    hashes.set(canonicalization, hash);
    return hash;
  };
}

/** Without the empty lines at its end, and with one line break there (RFC 6376, 3.4.3). */
function toSimpleBody(body: Buffer): Buffer {
  let end = body.length;
  while (end >= 2 && body[end - 2] === 0x0d && body[end - 1] === 0x0a) end -= 2;
  return Buffer.concat([body.subarray(0, end), Buffer.from('\r\n')]);
}

/**
 * Reads the tags of a signature or a key. Allows empty parts, as in `a=1;; b=2`.
 * @returns null if it is not a list of `name=value`, or a name occurs twice (RFC 6376, 3.2)
 */
function parseDkimTags(text: string): Tags | null {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim();
    if (equals === -1 && part.trim() === '') continue;
    if (name === '' || tags.has(name)) return null;
    tags.set(name, part.slice(equals + 1).trim());
  }
  return tags;
}

function getName(field: string): string {
  return field
    .slice(0, Math.max(field.indexOf(':'), 0))
    .trimEnd()
    .toLowerCase();
}

function getValue(field: string): string {
  return field.slice(field.indexOf(':') + 1).trim();
}

/** Where the signer publishes the key of a signature. */
export function toDkimKeyName({ selector, domain }: Pick<DkimSignature, 'selector' | 'domain'>): string {
  return `${selector}._domainkey.${domain}`;
}

/** @param records the TXT records at `toDkimKeyName` */
export function verifyDkimSignature(signature: DkimSignature, records: readonly string[]): boolean {
  return records.some((record) => {
    const key = parseKey(record, signature);
    if (key === null) return false;
    // Ed25519 signs the hash (RFC 8463, 3); RSA hashes by itself.
    const isRsa = signature.algorithm === 'rsa';
    const data = isRsa ? signature.signedData : createHash('sha256').update(signature.signedData).digest();
    return verify(isRsa ? 'sha256' : null, data, key, signature.signature);
  });
}

/** Shorter keys can be broken (RFC 8301, 3.2). */
const MIN_RSA_BITS = 1_024;
/** What comes before the 32 bytes of an Ed25519 key in the format that Node reads (RFC 8410, 10.1). */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** @returns null unless the record (RFC 6376, 3.6.1) has a key for this signature. A key for tests proves nothing */
function parseKey(record: string, { algorithm, isForSubdomain }: DkimSignature): KeyObject | null {
  const tags = parseDkimTags(record);
  const list = (name: string, otherwise: string) => splitTag(tags?.get(name) ?? otherwise);
  const isUsable =
    (tags?.get('v') ?? 'DKIM1') === 'DKIM1' &&
    (tags?.get('k') ?? 'rsa') === algorithm &&
    list('h', 'sha256').includes('sha256') &&
    list('s', '*').some((service) => service === '*' || service === 'email') &&
    !list('t', '').includes('y') &&
    !(isForSubdomain && list('t', '').includes('s'));
  const bytes = Buffer.from(tags?.get('p') ?? '', 'base64');
  if (!isUsable || bytes.length === 0) return null;
  try {
    const der = algorithm === 'rsa' ? bytes : Buffer.concat([ED25519_PREFIX, bytes]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS;
    return key.asymmetricKeyType === algorithm && bits >= MIN_RSA_BITS ? key : null;
  } catch {
    return null;
  }
}
