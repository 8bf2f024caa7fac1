import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A mailbox provider that signs what it sends, as RFC 6376 says. */
export type ReportSigner = {
  readonly domain: string;
  /** The name and the value of the TXT record with the public key. */
  readonly keyName: string;
  readonly keyRecord: string;
  readonly privateKey: KeyObject;
  readonly algorithm: 'rsa' | 'ed25519';
};

const SELECTOR = 'fbl';

export function createReportSigner(domain: string, algorithm: 'rsa' | 'ed25519' = 'rsa', bits = 1_024): ReportSigner {
  const { privateKey, publicKey } =
    algorithm === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: bits }) : generateKeyPairSync('ed25519');
  const der = publicKey.export({ format: 'der', type: 'spki' });
  const bytes = algorithm === 'rsa' ? der : der.subarray(-32);
  return {
    domain,
    algorithm,
    keyName: `${SELECTOR}._domainkey.${domain}`,
    keyRecord: `v=DKIM1; k=${algorithm}; p=${bytes.toString('base64')}`,
    privateKey,
  };
}

type SignOptions = {
  readonly canonicalization?: `${'simple' | 'relaxed'}/${'simple' | 'relaxed'}`;
  readonly fields?: readonly string[];
  /** More tags, such as `l=10;`. */
  readonly tags?: string;
};

/** @param message whose header fields are not folded, and whose body has no blanks at the ends of lines */
export function signReport(
  message: string,
  { domain, algorithm, privateKey }: ReportSigner,
  { canonicalization = 'relaxed/simple', fields = ['from', 'subject', 'content-type'], tags = '' }: SignOptions = {},
): string {
  const [header = '', ...rest] = message.split('\r\n\r\n');
  const body = `${rest.join('\r\n\r\n').replace(/(\r\n)*$/, '')}\r\n`;
  const isSimple = canonicalization.startsWith('simple');
  const write = (name: string, value: string) => (isSimple ? `${name}: ${value}` : `${name.toLowerCase()}:${value}`);
  const picked = fields.map((field) => {
    const line = header.split('\r\n').find((each) => each.toLowerCase().startsWith(`${field}:`)) ?? '';
    const colon = line.indexOf(':');
    return line === '' ? '' : `${write(line.slice(0, colon), line.slice(colon + 1).trim())}\r\n`;
  });
  const hash = createHash('sha256').update(body).digest('base64');
  const unsigned = [
    `v=1; a=${algorithm}-sha256; c=${canonicalization}; d=${domain}; s=${SELECTOR};`,
    `h=${fields.join(':')}; bh=${hash}; ${tags} b=`,
  ].join(' ');
  const data = Buffer.from(picked.join('') + write('DKIM-Signature', unsigned.replace(/ +/g, ' ')));
  const signed =
    algorithm === 'rsa'
      ? sign('sha256', data, privateKey)
      : sign(null, createHash('sha256').update(data).digest(), privateKey);
  return `DKIM-Signature: ${unsigned.replace(/ +/g, ' ')}${signed.toString('base64')}\r\n${header}\r\n\r\n${body}`;
}
