import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { SigningKey } from '@posthorn/domain/domains';
import { buildKeyRecord, createReceiver } from '@posthorn/testing';
import fc from 'fast-check';
import { buildMessage, type MessageParts } from '../src/build-message.js';
import { signMessage, toRelaxedBody, toRelaxedHeader } from '../src/dkim.js';
import { messageParts } from './message-parts.js';
import * as reference from './reference-verifier.js';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const key: SigningKey = { domain: 'mail.example.com', selector: 'ph1', privateKey };
const publicKey = createPublicKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
const authenticate = createReceiver([buildKeyRecord(key)]);

const signParts = (changes: Partial<MessageParts> = {}) => signMessage(buildMessage(messageParts(changes)), key);

async function readResult(raw: Buffer | string): Promise<string[]> {
  const bytes = typeof raw === 'string' ? Buffer.from(raw, 'latin1') : raw;
  return (await authenticate(bytes, 'someone@mail.example.com')).dkim.map(({ result }) => result);
}

/** Bytes with many blanks and line ends, which canonicalization changes. */
const bytes = fc
  .array(fc.oneof(fc.constantFrom(' ', '\t', '\r\n', '\r\n', '.', 'a', 'é'), fc.integer({ min: 0, max: 255 })), {
    maxLength: 60,
  })
  .map((parts) => parts.map((part) => (typeof part === 'string' ? part : String.fromCharCode(part))).join(''))
  .map((text) => text.replace(/\r(?!\n)|(?<!\r)\n/g, '_'));

const name = fc.constantFrom('Subject', 'TO', 'cc', 'Reply-To', 'List-Unsubscribe', 'list-id', 'X-Order', 'Date');
const value = bytes.map((text) => text.replaceAll(/\r\n(?![ \t])/g, '\r\n ').replace(/\r\n[ \t]*(?=\r\n|$)/g, ''));
const field = fc.tuple(name, value).map(([left, right]) => `${left}:${right}`);

describe('relaxed canonicalization', () => {
  test('of a body matches the reference, whatever its bytes', () => {
    fc.assert(
      fc.property(bytes, (body) => {
        expect(toRelaxedBody(Buffer.from(body, 'latin1')).toString('latin1')).toBe(reference.relaxedBody(body));
      }),
      { numRuns: 2_000 },
    );
  });

  test('of a header matches the reference', () => {
    fc.assert(
      fc.property(field, (text) => {
        expect(toRelaxedHeader(text)).toBe(reference.relaxedHeader(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['an empty body', '', ''],
    ['a body of blank lines', '\r\n \t\r\n\r\n', ''],
    ['a last line without an end', 'a', 'a\r\n'],
    ['the example of RFC 6376, 3.4.5', ' C \r\nD \t E\r\n\r\n\r\n', ' C\r\nD E\r\n'],
  ])('of %s', (_, body, relaxed) => {
    expect(toRelaxedBody(Buffer.from(body)).toString()).toBe(relaxed);
  });
});

describe('a signature', () => {
  test('has the tags that the RFC requires, in lines shorter than 78 characters', async () => {
    const signed = (await signParts()).toString('latin1');
    const [header = ''] = signed.split(/\r\n(?![ \t])/);
    expect(reference.parseTags(header)).toEqual({
      v: '1',
      a: 'rsa-sha256',
      c: 'relaxed/relaxed',
      d: 'mail.example.com',
      s: 'ph1',
      h: 'from:from:reply-to:to:to:cc:subject:subject:date:date:message-id:message-id:mime-version:mime-version:content-type:content-type:content-transfer-encoding',
      bh: expect.stringMatching(/^[\w+/]{43}=$/),
      b: expect.stringMatching(/^[\w+/]{342}==$/),
    });
    for (const line of header.split('\r\n')) expect(line.length).toBeLessThan(78);
  });

  test('leaves the message that follows unchanged', async () => {
    const message = buildMessage(messageParts());
    const signed = await signMessage(message, key);
    expect(signed.subarray(-message.length).equals(message)).toBe(true);
    expect(signed.subarray(0, 16).toString()).toBe('DKIM-Signature: ');
  });

  test('is the same for the same message', async () => {
    expect((await signParts()).equals(await signParts())).toBe(true);
  });

  test('is valid for any header fields and any bytes in the body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(field, { maxLength: 8 }), bytes, async (fields, body) => {
        const head = ['From: a@mail.example.com', ...fields].map((one) => `${one}\r\n`).join('');
        const signed = await signMessage(Buffer.from(`${head}\r\n${body}`, 'latin1'), key);
        expect(reference.verifies(signed, publicKey)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, Partial<MessageParts>]>([
    ['text and html', {}],
    ['text alone', { html: null }],
    ['html alone', { text: null }],
    ['text in other scripts', { text: 'Grüße, 你好 👋\n', html: '<p>Привет</p>' }],
    ['lines of any length', { text: `${'x'.repeat(5_000)}\n${'y '.repeat(2_000)}` }],
    ['leading dots', { html: null, text: '.\n..\n.hidden\n' }],
    ['trailing blank lines', { html: null, text: 'Hi\n\n \n\t\n\n' }],
    ['an empty body', { html: null, text: '' }],
    ['a body of blanks', { html: null, text: ' \n \t \n' }],
    [
      'many recipients',
      { to: Array.from({ length: 50 }, (_, i) => ({ name: `Jane ${i}`, address: `p${i}@x.example` })) },
    ],
    [
      'names in other scripts',
      { from: { name: 'Zoë Ünal', address: 'zoe@mail.example.com' }, subject: 'Ω'.repeat(300) },
    ],
    ['a subject of one long word', { subject: 'a'.repeat(998) }],
    ['a subject with runs of spaces', { subject: `a${' '.repeat(200)}b` }],
    [
      'empty and long custom headers',
      {
        headers: [
          ['X-Empty', ''],
          ['X-Long', 'word '.repeat(150).trim()],
        ],
      },
    ],
    [
      'list headers',
      {
        headers: [
          ['List-Unsubscribe', '<https://x.example/u>'],
          ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
        ],
      },
    ],
  ])('is accepted by an independent verifier: %s', async (_, changes) => {
    const signed = await signParts(changes);
    expect(await readResult(signed)).toEqual(['pass']);
    expect(reference.verifies(signed, publicKey)).toBe(true);
  });

  test('does not cover a header whose name cannot appear in h=', async () => {
    const message = Buffer.concat([Buffer.from('List-;x=1: odd\r\n'), buildMessage(messageParts())]);
    const signed = await signMessage(message, key);
    expect(await readResult(signed)).toEqual(['pass']);
    const [header = ''] = signed.toString('latin1').split(/\r\n(?![ \t])/);
    expect(reference.parseTags(header).h).not.toContain('list-');
  });

  test('covers both headers of one-click unsubscribe (RFC 8058, 4)', async () => {
    const signed = (await signParts({ unsubscribeUrl: 'https://mail.example.com/u/token' })).toString('latin1');
    expect(await readResult(signed)).toEqual(['pass']);
    expect(await readResult(signed.replace('/u/token', '/u/other'))).toEqual(['fail']);
    expect(await readResult(signed.replace('=One-Click', '=Two-Click'))).toEqual(['fail']);
    const added = signed.replace('\r\nMIME-Version', '\r\nList-Unsubscribe: <https://evil.example/>\r\nMIME-Version');
    expect(await readResult(added)).toEqual(['fail']);
  });

  test('covers every List-* header that is present', async () => {
    const signed = (await signParts({ headers: [['List-Id', '<list.x.example>']] })).toString('latin1');
    const [header = ''] = signed.split(/\r\n(?![ \t])/);
    expect(reference.parseTags(header).h?.split(':')).toEqual(expect.arrayContaining(['list-id']));
    expect(await readResult(signed.replace('<list.x.example>', '<other.x.example>'))).toEqual(['fail']);
  });

  test('is valid for an 8-bit body', async () => {
    const message = Buffer.concat([
      Buffer.from('From: a@mail.example.com\r\nContent-Transfer-Encoding: 8bit\r\n\r\n'),
      Buffer.from('Grüße \t \r\n\r\n'),
      Buffer.from([0xff, 0x00, 0x80, 0x20, 0x0d, 0x0a]),
    ]);
    expect(await readResult(await signMessage(message, key))).toEqual(['pass']);
  });

  test('survives changes that relays may make: folding, added headers, blank lines at the end', async () => {
    const signed = (await signParts({ subject: 'One two three' })).toString('latin1');
    const changed = `Received: by relay.example\r\n${signed.replace('One two', 'One\r\n\t  two')}\r\n\r\n`;
    expect(await readResult(changed)).toEqual(['pass']);
  });
});

describe('a signature breaks', () => {
  const parts: Partial<MessageParts> = {
    html: null,
    cc: [{ name: null, address: 'copy@example.com' }],
    replyTo: [{ name: null, address: 'help@example.com' }],
    headers: [
      ['List-Unsubscribe', '<https://x.example/u>'],
      ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ],
  };
  const names = [
    ...['From', 'Reply-To', 'To', 'Cc', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'],
    ...['Content-Transfer-Encoding', 'List-Unsubscribe', 'List-Unsubscribe-Post'],
  ];
  let signed = '';

  beforeAll(async () => {
    signed = (await signParts(parts)).toString('latin1');
    expect(await readResult(signed)).toEqual(['pass']);
  });

  test.each(names)('when %s is changed', async (header) => {
    const changed = signed.replace(new RegExp(`(\r\n${header}: .)`), '$1X');
    expect(changed).not.toBe(signed);
    expect(await readResult(changed)).toEqual(['fail']);
  });

  test.each(names)('when %s is removed', async (header) => {
    const changed = signed.replace(new RegExp(`\r\n${header}: .*`), '');
    expect(changed.length).toBeLessThan(signed.length);
    expect(await readResult(changed)).not.toEqual(['pass']);
  });

  test.each(names)('when another %s is added before or after', async (header) => {
    expect(await readResult(`${header}: other@example.com\r\n${signed}`)).toEqual(['fail']);
    expect(await readResult(signed.replace('\r\n\r\n', `\r\n${header}: other@example.com\r\n\r\n`))).toEqual(['fail']);
  });

  test('when a Reply-To or Cc is added where there was none', async () => {
    const without = (await signParts()).toString('latin1');
    for (const header of ['Reply-To', 'Cc']) {
      expect(await readResult(`${header}: other@example.com\r\n${without}`)).toEqual(['fail']);
    }
  });

  test('when the body is changed, truncated or extended', async () => {
    expect(await readResult(signed.replace('Hello Jane', 'Hello Jan'))).not.toEqual(['pass']);
    expect(await readResult(`${signed}More\r\n`)).not.toEqual(['pass']);
    expect(await readResult(signed.slice(0, -8))).not.toEqual(['pass']);
  });
});

describe('signMessage refuses', () => {
  const message = buildMessage(messageParts());

  test('a key that is not an RSA key', async () => {
    for (const other of [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]) {
      await expect(signMessage(message, { ...key, privateKey: other.privateKey })).rejects.toThrow('not an RSA key');
    }
  });

  test('a message without exactly one From, or without a blank line after its headers', async () => {
    for (const text of ['To: a@x.example\r\n\r\nHi\r\n', 'From: a@x.example\r\nfrom: b@x.example\r\n\r\nHi\r\n']) {
      await expect(signMessage(Buffer.from(text), key)).rejects.toThrow('exactly one From');
    }
    await expect(signMessage(Buffer.from('From: a@x.example\r\n'), key)).rejects.toThrow('blank line');
  });
});
