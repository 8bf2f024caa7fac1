import fc from 'fast-check';
import { type ProviderKind, providers } from '../../src/providers/index.js';

const kinds = Object.keys(providers) as ProviderKind[];

describe('headers', () => {
  test.each<[ProviderKind, Array<[name: string, value: string]>]>([
    ['ses', [['X-Posthorn-ID', 'k.ey-1_x']]],
    ['sendgrid', [['X-SMTPAPI', '{"unique_args":{"posthorn_id":"k.ey-1_x"}}']]],
    [
      'postmark',
      [
        ['X-PM-KeepID', 'true'],
        ['X-PM-Metadata-posthorn_id', 'k.ey-1_x'],
      ],
    ],
    ['mailgun', [['X-Mailgun-Variables', '{"posthorn_id":"k.ey-1_x"}']]],
    ['brevo', [['X-Mailin-custom', 'posthorn_id:k.ey-1_x']]],
    ['mailjet', [['X-MJ-CustomID', 'k.ey-1_x']]],
    ['sparkpost', [['X-MSYS-API', '{"metadata":{"posthorn_id":"k.ey-1_x"}}']]],
    ['resend', [['X-Posthorn-ID', 'k.ey-1_x']]],
  ])('%s returns the key from its header', (kind, headers) => {
    expect(providers[kind].buildHeaders('k.ey-1_x')).toEqual(headers.map(([name, value]) => ({ name, value })));
    expect(JSON.stringify(headers)).toContain(providers[kind].keyName.replace('CustomID', 'MJ-CustomID'));
  });

  test.each(kinds)('a key cannot bring another header or command to %s', (kind) => {
    for (const key of ['', 'a\r\nBcc: b@example.com', 'a\nb', 'a"b', 'a|b', 'a:b', 'ä', 'a b', 'k'.repeat(81)])
      expect(() => providers[kind].buildHeaders(key)).toThrow('The key for a provider must have 1 to 80 letters');
  });
});

describe('the id in the reply to a message', () => {
  const SES_ID = '0102019ac7d1a2b3-5f0b7c0e-4d1d-4f63-9d7a-0a2f8f3c6a11-000000';
  const UUID = '7c1d0b52-3d0e-4f2c-9d3b-6d3f0f3c2a10';

  test.each<[ProviderKind, string, string | null]>([
    ['ses', `250 Ok ${SES_ID}`, SES_ID],
    ['ses', `Ok ${SES_ID}`, SES_ID],
    ['ses', '250 Ok', null],
    ['ses', '250 2.0.0 Ok: queued as 4cQ9zJ12Hk7z3v', null],
    ['sendgrid', '250 Ok: queued as wR7kq1ZTBmVxx2Yd7eQb9A', 'wR7kq1ZTBmVxx2Yd7eQb9A'],
    ['sendgrid', '250 Ok', null],
    ['mailgun', '250 Great success', null],
    ['mailgun', '250 2.0.0 Great success', null],
    ['postmark', '250 2.0.0 Ok: queued as 4F2B71C0A3', null],
    ['brevo', '250 2.0.0 OK: queued as <a@smtp-relay.example>', null],
    ['mailjet', `250 OK queued as ${UUID}`, null],
    ['sparkpost', '250 2.0.0 OK 52/E1-12345-ABCDE', null],
    ['resend', `250 Ok ${UUID}`, UUID],
    ['resend', '250 Ok', null],
  ])('%s: %s', (kind, reply, id) => {
    expect(providers[kind].readReplyId(reply)).toBe(id);
  });

  test.each([
    'wR7kq1ZTBmVxx2Yd7eQb9A.recvd-6c8f7d9b54-q2x7k-1-6929-4F.0',
    'wR7kq1ZTBmVxx2Yd7eQb9A.filter0412p1las1-20481-6929-11.2',
  ])('SendGrid adds to it in events: %s', (id) => {
    const body = Buffer.from(JSON.stringify([{ event: 'delivered', email: 'jane@inbox.example', sg_message_id: id }]));
    expect(providers.sendgrid.readEvents(body)[0]?.providerId).toBe('wR7kq1ZTBmVxx2Yd7eQb9A');
  });
});

describe.each(kinds)('a strange body from %s', (kind) => {
  const read = (body: string | Buffer) => providers[kind].readEvents(Buffer.from(body));

  test.each(['', 'null', '3', '"text"', '{', '<html>', '[]', '{}', '[null, 3, "x", []]', '\uFEFF{}'])(
    'changes nothing: %s',
    (body) => {
      expect(read(body).every((event) => event.kind === 'ignored' && event.addresses.length === 0)).toBe(true);
    },
  );

  test('is not read if it is too deep or too large', () => {
    expect(
      read(`${'['.repeat(100_000)}${']'.repeat(100_000)}`).filter(({ kind: found }) => found !== 'ignored'),
    ).toEqual([]);
    expect(read(`{"a":"${'\\"'.repeat(2_000_000)}`).filter(({ kind: found }) => found !== 'ignored')).toEqual([]);
    expect(read(Buffer.alloc(17 * 1024 * 1024, '[')).filter(({ kind: found }) => found !== 'ignored')).toEqual([]);
  });

  test('never throws, whatever its fields are', () => {
    const names = [
      'event',
      'type',
      'RecordType',
      'Type',
      'email',
      'Email',
      'reason',
      'msys',
      'data',
      'event-data',
      'error',
    ];
    const words = [
      'bounce',
      'Bounce',
      'bounced',
      'failed',
      'dropped',
      'email.bounced',
      '__proto__',
      'constructor',
      'toString',
    ];
    const leaf = fc.oneof(fc.constantFrom(...words), fc.string(), fc.integer(), fc.constant(null), fc.boolean());
    const { node } = fc.letrec((tie) => ({
      node: fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('value'), { maxKeys: 5 }),
      value: fc.oneof({ maxDepth: 4 }, leaf, tie('node'), fc.array(tie('value'), { maxLength: 3 })),
    }));
    const toBody = (value: unknown) =>
      JSON.stringify(kind === 'ses' ? { Type: 'Notification', Message: JSON.stringify(value) } : value);
    fc.assert(
      fc.property(node, (value) => expect(Array.isArray(read(toBody(value)))).toBe(true)),
      { numRuns: 300 },
    );
  });
});
