import { generateKeyPairSync } from 'node:crypto';
import { readSignedMessage, toDkimKeyName, verifyDkimSignature } from '@posthorn/message';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';

/** RFC 8463, appendix A: one message with a signature of each algorithm. */
const MESSAGE = [
  'DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;',
  ' d=football.example.com; i=@football.example.com;',
  ' q=dns/txt; s=brisbane; t=1528637909; h=from : to :',
  ' subject : date : message-id : from : subject : date;',
  ' bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;',
  ' b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus',
  ' Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==',
  'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;',
  ' d=football.example.com; i=@football.example.com;',
  ' q=dns/txt; s=test; t=1528637909; h=from : to : subject :',
  ' date : message-id : from : subject : date;',
  ' bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;',
  ' b=F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3',
  ' DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2Jz',
  ' dA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=',
  'From: Joe SixPack <joe@football.example.com>',
  'To: Suzie Q <suzie@shopping.example.net>',
  'Subject: Is dinner ready?',
  'Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)',
  'Message-ID: <20030712040037.46341.5F8J@football.example.com>',
  '',
  'Hi.',
  '',
  'We lost the game.  Are you hungry yet?',
  '',
  'Joe.',
  '',
].join('\r\n');

const ED25519 = 'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const RSA = [
  'v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY',
  '/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryO',
  'TIKT+l/K4w3QIDAQAB',
].join('');
const NOW = new Date('2026-11-22T10:00:00Z');

/** By the selector, whether each signature that can be checked is right. */
function verifyAll(message: string, keys: Readonly<Record<string, string>> = { brisbane: ED25519, test: RSA }) {
  const { signatures } = readSignedMessage(Buffer.from(message, 'latin1'), NOW);
  return Object.fromEntries(
    signatures.map((signature) => [
      signature.selector,
      verifyDkimSignature(signature, [keys[signature.selector] ?? '']),
    ]),
  );
}

test('the signatures of RFC 8463 are right, with their keys', () => {
  expect(verifyAll(MESSAGE)).toEqual({ brisbane: true, test: true });
  const [first] = readSignedMessage(Buffer.from(MESSAGE), NOW).signatures;
  expect(first && toDkimKeyName(first)).toBe('brisbane._domainkey.football.example.com');
  expect(verifyAll(MESSAGE, { brisbane: RSA, test: ED25519 })).toEqual({ brisbane: false, test: false });
});

test.each([
  ['a signed field', 'Is dinner ready?', 'Is lunch ready?'],
  ['a second signed field', 'Subject: Is', 'Subject: Hello\r\nSubject: Is'],
  ['a signed field that is missing', 'To: Suzie Q <suzie@shopping.example.net>\r\n', ''],
])('a change of %s breaks them', (_, from, to) => {
  expect(verifyAll(MESSAGE.replace(from, to))).toEqual({ brisbane: false, test: false });
});

test('a change of white space, or of a field that is not signed, does not', () => {
  const changed = MESSAGE.replace('Is dinner ready?', 'Is  dinner\r\n ready? ').replace('Hi.', 'Hi. ');
  expect(verifyAll(`X-Spam: no\r\n${changed}\r\n\r\n`)).toEqual({ brisbane: true, test: true });
});

test.each([
  ['the body is another one', 'Joe.', 'Jim.'],
  ['it leaves out the end of the body', 'q=dns/txt;', 'q=dns/txt; l=10;'],
  ['it has expired', 't=1528637909;', 't=1528637909; x=1528637910;'],
  ['it does not cover From', /from : /g, ''],
  ['it is for somebody else', 'i=@football.example.com', 'i=@example.com'],
  ['its hash is weak', /a=(rsa|ed25519)-sha256/g, 'a=rsa-sha1'],
  ['it has a tag twice', 'q=dns/txt;', 'q=dns/txt; d=example.com;'],
  ['its key is elsewhere', 'q=dns/txt', 'q=http'],
  ['its version is unknown', /v=1;/g, 'v=2;'],
  ['its selector is no name', /s=(brisbane|test)/g, 's=a b'],
])('a signature is left out if %s', (_, from, to) => {
  const changed = typeof from === 'string' ? MESSAGE.replaceAll(from, to) : MESSAGE.replace(from, to);
  expect(verifyAll(changed)).toEqual({});
});

test.each([
  ['is revoked', RSA.replace(/p=.*/, 'p=')],
  ['is only for tests', `${RSA}; t=y`],
  ['is for something else than mail', `${RSA}; s=tlsrpt`],
  ['is for another hash', `${RSA}; h=sha1`],
  ['is damaged', RSA.replace('MIGf', 'AAAA')],
  ['is no key record', 'v=spf1 -all'],
])('a signature is wrong if its key %s', (_, key) => {
  expect(verifyAll(MESSAGE, { brisbane: ED25519, test: key })).toEqual({ brisbane: true, test: false });
});

const shapes = {
  'an empty body': 'From: a@example.com\r\nSubject: Hi\r\n\r\n',
  'empty lines at the end': 'From: a@example.com\r\nSubject: Hi\r\n\r\nHello\r\n\r\n\r\n',
  'white space': 'From:   a@example.com \r\nSubject: Hi\r\n\tthere \t you\r\n\r\n Hello \t you \r\n\t\r\n',
  'no line break at the end': 'From: a@example.com\r\nSubject: Hi\r\n\r\nHello',
  'other bytes than ASCII': 'From: a@example.com\r\nSubject: Gr\u00fc\u00dfe\r\n\r\nGr\u00fc\u00dfe\r\n',
};

describe.each(['simple/simple', 'simple/relaxed', 'relaxed/simple', 'relaxed/relaxed'])('%s', (canonicalization) => {
  test.each(Object.entries(shapes))('what mailauth signs is right, with %s', async (_, message) => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    const ed25519 = generateKeyPairSync('ed25519');
    const raw = Buffer.from(message, 'latin1');
    // Otherwise mailauth reads the clock twice, and a signature is wrong if a second begins in between.
    const signTime = new Date();
    const signatures = await Promise.all(
      Object.entries({ rsa, ed25519 }).map(async ([selector, { privateKey }]) => {
        const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
        const options = { signingDomain: 'example.com', selector, privateKey: key, canonicalization, signTime };
        return (await dkimSign(raw, { ...options, signatureData: [options] })).signatures;
      }),
    );
    const signed = `${signatures.join('')}${raw.toString('latin1')}`;
    const keys = {
      rsa: `v=DKIM1; p=${rsa.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')}`,
      ed25519: `v=DKIM1; k=ed25519; p=${ed25519.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`,
    };
    expect(verifyAll(signed, keys)).toEqual({ rsa: true, ed25519: true });
    expect(verifyAll(signed.replace('\r\nSubject:', '\r\nSubject: Re:'), keys)).toEqual({ rsa: false, ed25519: false });
    expect(verifyAll(`${signed}PS`, keys)).toEqual({});
  });
});
