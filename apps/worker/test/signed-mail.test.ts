import { createHmac, hkdfSync } from 'node:crypto';
import type { FeedbackKind } from '@posthorn/contract';
import { operator } from '@posthorn/domain/audit-log';
import { createDomain, findSigningKey, markDomainVerified, type SigningKey } from '@posthorn/domain/domains';
import { parseAddress } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { addRelay, addRoute } from '@posthorn/domain/relays';
import { signEmail } from '@posthorn/message';
import { newId } from '@posthorn/platform/values';
import { createReceiver, listPublishedRecords, type ReceivedMessage, type SmtpReply } from '@posthorn/testing';
import fc from 'fast-check';
import { type EmailOptions, openTestWorker, type TestWorker } from './open-test-worker.js';

const PLATFORM = 'platform.example';
const ACME = 'mail.acme.example';

let t: TestWorker;
let reply: (command: string, address: string) => SmtpReply | undefined;
let acme: { id: string; key: SigningKey };
let platformKey: SigningKey;

async function getKey(domainId: string | null): Promise<SigningKey> {
  const key = await findSigningKey({ ...t.ctx, signingKeys: new Map() }, domainId);
  if (!key) throw new Error('There is no key');
  return key;
}

beforeEach(async () => {
  reply = () => undefined;
  t = await openTestWorker({
    started: false,
    // Checking a thousand signatures keeps this process busy for longer than the short lease of other tests.
    config: { platformSenderDomain: PLATFORM, leaseSeconds: 60 },
    sink: { reply: (command, address) => reply(command, address) },
  });
  const domain = await createDomain(t.ctx, operator, t.workspaceId, ACME);
  await markDomainVerified(t.ctx, domain.id);
  acme = { id: domain.id, key: await getKey(domain.id) };
  platformKey = await getKey(null);
});

afterEach(() => t.close());

const fromAcme: EmailOptions = { from: parseAddress(`Acme <hello@${ACME}>`) };

/** One valid signature by From's domain, and SPF that passes for the return path. */
const authenticated = ({ domain, selector }: SigningKey) => ({
  dkim: [{ result: 'pass', domain, selector }],
  spf: 'pass',
  dmarc: 'pass',
  aligned: ['dkim', 'spf'],
});

/** Decodes a return path without using our own code. */
function readReturnPath({ envelope }: Pick<ReceivedMessage, 'envelope'>) {
  const [, token = '', host] = /^b\+([0-9a-v]{56})@bounces\.(.+)$/.exec(envelope.from) ?? [];
  const number = [...token].reduce((sum, character) => sum * 32n + BigInt(Number.parseInt(character, 32)), 0n);
  const bytes = Buffer.from(number.toString(16).padStart(70, '0'), 'hex');
  const [id, masked, mac] = [bytes.subarray(0, 16), bytes.subarray(16, 23), bytes.subarray(23)];
  const key = Buffer.from(hkdfSync('sha256', t.ctx.config.secretKey ?? '', '', 'posthorn return path', 32));
  const sign = (payload: Buffer) => createHmac('sha256', key).update(payload).digest().subarray(0, 12);
  const mask = sign(mac);
  const set = Buffer.from(masked.map((byte, at) => byte ^ (mask[at] ?? 0)));
  const expected = sign(Buffer.concat([id, set, Buffer.from(`bounces.${host}`)]));
  return {
    emailId: id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    positions: Array.from({ length: 56 }, (_, at) => at).filter((at) => (set[at >> 3] ?? 0) & (1 << (at & 7))),
    isOurs: mac.equals(expected),
    host,
  };
}

describe('every email is signed by its From domain', () => {
  const line = fc.oneof(
    fc.constantFrom('', ' ', '.', '..', '\t x \t', 'x'.repeat(1_200), 'From here on'),
    fc.string({ unit: 'grapheme', maxLength: 90 }),
  );
  const body = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n').replaceAll('\0', ''));
  const visible = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 900 })).map((text) =>
    text
      .replace(/[\p{Cc}\u2028\u2029]/gu, '')
      .trim()
      .slice(0, limits.subject.max),
  );
  const address = fc.integer({ min: 1, max: 400 }).map((n) => `p${n}@example.com`);
  const recipients = { minLength: 1, maxLength: 5 };
  const generated = fc
    .record({
      from: fc.constantFrom(null, `hello@${ACME}`, `Zoë at Acme <zoe@${ACME}>`, `"Acme, Inc." <inc@${ACME}>`),
      to: fc.oneof(
        fc.uniqueArray(address, recipients),
        fc.constant(Array.from({ length: 50 }, (_, i) => `m${i}@x.example`)),
      ),
      cc: fc.uniqueArray(
        fc.integer({ min: 1, max: 9 }).map((n) => `copy${n}@example.com`),
        { maxLength: 2 },
      ),
      replyTo: fc.constantFrom([], ['Help <help@elsewhere.example>']),
      subject: visible,
      html: fc.option(body),
      text: body,
      headers: fc.constantFrom<Record<string, string>>(
        {},
        { 'X-Order': '7', 'X-Empty': '', References: '<a@x.example> '.repeat(40).trim() },
        { 'List-Unsubscribe': '<https://x.example/u>', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
        { 'list-id': 'Müller <list.x.example>' },
      ),
    })
    .map(({ from, to, cc, replyTo, headers, ...content }): EmailOptions => {
      const total = [...to, ...cc].slice(0, limits.recipients.max);
      return {
        from: from === null ? null : parseAddress(from),
        to: total.slice(0, to.length),
        cc: total.slice(to.length),
        replyTo: replyTo.map(parseAddress),
        headers,
        content: { kind: 'raw', ...content },
      };
    });

  test('and passes DKIM, SPF and DMARC at the receiver: 1,200 random messages', async () => {
    const emails = fc.sample(generated, { numRuns: 1_200, seed: 20_261_121 });
    t.start();
    for (let at = 0; at < emails.length; at += 100) {
      await Promise.all(emails.slice(at, at + 100).map((email) => t.accept(email)));
    }
    const messages = await t.sink.waitFor(emails.length, 240_000);
    const authenticate = createReceiver(await listPublishedRecords(t.ctx, [acme.id]));
    const signers = new Map<string, number>();
    for (const { raw, envelope, parsed } of messages) {
      const key = parsed.from?.address?.endsWith(`@${ACME}`) ? acme.key : platformKey;
      signers.set(key.domain, (signers.get(key.domain) ?? 0) + 1);
      expect(await authenticate(raw, envelope.from)).toEqual(authenticated(key));
    }
    expect(messages).toHaveLength(emails.length);
    expect(Math.min(signers.get(ACME) ?? 0, signers.get(PLATFORM) ?? 0)).toBeGreaterThan(200);
  }, 300_000);
});

describe('the return path', () => {
  test('identifies the email and the envelope recipients, and fits in a local part', async () => {
    const to = Array.from({ length: limits.recipients.max }, (_, i) => `p${i}@example.com`);
    const ids = [await t.accept({ ...fromAcme, to }), await t.accept()];
    t.start();
    const messages = await t.sink.waitFor(2);
    const read = messages.map(readReturnPath);
    expect(read).toHaveLength(2);
    expect(read).toEqual(
      expect.arrayContaining([
        { emailId: ids[0], positions: to.map((_, i) => i), isOurs: true, host: ACME },
        { emailId: ids[1], positions: [0], isOurs: true, host: PLATFORM },
      ]),
    );
    for (const { envelope } of messages) {
      expect(envelope.from.indexOf('@')).toBeLessThanOrEqual(limits.localPart.max);
    }
  });

  test('for the longest possible domain is still a valid address', async () => {
    const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(50)}.example`;
    expect(name).toHaveLength(limits.domainName.max);
    const { id: domainId } = await createDomain(t.ctx, operator, t.workspaceId, name);
    await markDomainVerified(t.ctx, domainId);
    const id = await t.accept({ from: parseAddress(`hi@${name}`) });
    t.start();
    await t.until(id, 'sent');
    const [message] = t.sink.messages;
    expect(message?.envelope.from.length).toBeLessThanOrEqual(limits.address.max);
    const key = await getKey(domainId);
    const authenticate = createReceiver(await listPublishedRecords(t.ctx, [domainId]));
    expect(await authenticate(message?.raw as Buffer, message?.envelope.from ?? '')).toEqual(authenticated(key));
  });

  test('is the same for the same recipients on every attempt', async () => {
    const seen: string[] = [];
    reply = (command, address) => {
      if (command === 'MAIL') seen.push(address);
      return command === 'DATA' && seen.length === 1 ? { code: 451, text: '4.3.0 Busy' } : undefined;
    };
    const id = await t.accept({ ...fromAcme, to: ['a@example.com', 'b@example.com'] });
    t.start();
    await t.until(id, 'sent');
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
  });

  test('of every attempt is the same, as greylisting needs, and identifies all recipients', async () => {
    let deferrals = 0;
    reply = (command, address) => {
      const isLater = command === 'RCPT' && address === 'later@example.com';
      return isLater && deferrals++ === 0 ? { code: 450, text: '4.2.1 Try later' } : undefined;
    };
    const id = await t.accept({ ...fromAcme, to: ['ok@example.com', 'also@example.com', 'later@example.com'] });
    t.start();
    await t.until(id, 'sent');
    const [first, second] = t.sink.messages;
    expect(second?.envelope.to).toEqual(['later@example.com']);
    expect(second?.envelope.from).toBe(first?.envelope.from);
    expect(readReturnPath(second as NonNullable<typeof second>).positions).toEqual([0, 1, 2]);
    expect(second?.raw.equals(first?.raw as Buffer)).toBe(true);
  });
});

describe('no message is sent unsigned', () => {
  test('with the wrong SECRET_KEY, an email waits for the right one, and no attempt is charged', async () => {
    const id = await t.accept(fromAcme);
    const misconfigured = t.start({ secretKey: 'not the secret that the keys were encrypted with' });
    const email = await t.until(id, 'deferred');
    expect(email.attempts[0]).toMatchObject({ outcome: 'deferred', phase: 'render', route: null });
    expect(email.recipients[0]).toMatchObject({ status: 'queued' });
    expect(await t.ctx.db('deliveries').pluck('deferrals')).toEqual([0]);
    expect(t.sink.messages).toHaveLength(0);
    await misconfigured.stop();
    t.start();
    await t.until(id, 'sent');
    const authenticate = createReceiver(await listPublishedRecords(t.ctx, [acme.id]));
    expect(await authenticate(t.sink.messages[0]?.raw as Buffer, `x@${ACME}`)).toMatchObject({
      dkim: [{ result: 'pass' }],
    });
  });

  test('while the keys cannot be read, an email waits', async () => {
    await t.ctx.db.raw('alter table domain_keys rename to hidden_keys');
    const id = await t.accept();
    t.start();
    await t.until(id, 'deferred');
    expect(t.sink.messages).toHaveLength(0);
    await t.ctx.db.raw('alter table hidden_keys rename to domain_keys');
    await t.until(id, 'sent');
  });

  test('an email that cannot be signed fails when it is too old', async () => {
    const id = await t.accept(fromAcme);
    // The email is not too old for this attempt, but would be for the next one, after a pause of 300 s.
    const age = 72 * 3_600_000 - 200_000;
    await t.ctx
      .db('emails')
      .where({ id })
      .update({ created_at: new Date(Date.now() - age) });
    await t.ctx.db('deliveries').where({ email_id: id }).update({ attempt: 10 });
    t.start({ secretKey: 'not the secret that the keys were encrypted with' });
    const email = await t.until(id, 'failed');
    expect(email.recipients[0]?.smtpResponse).toBe(`Gave up. Last error: The signing key of ${ACME} could not be read`);
    expect(t.sink.messages).toHaveLength(0);
  });

  test('an email from the old platform domain fails with a reason after the domain is changed', async () => {
    const id = await t.accept();
    t.start({ platformSenderDomain: 'new-platform.example' });
    const email = await t.until(id, 'failed');
    expect(email.recipients[0]?.smtpResponse).toBe(
      `The email is from ${PLATFORM}, but its signing key is for new-platform.example`,
    );
    expect(t.sink.messages).toHaveLength(0);
  });

  test('a domain without a key and a message that cannot be signed have their own errors', async () => {
    const email = { id: newId(), domainId: newId(), from: `hello@${ACME}` };
    const ctx = { ...t.ctx, signingKeys: new Map() };
    expect(await signEmail(ctx, email, Buffer.from('From: a@b.example\r\n\r\n'))).toEqual({
      fault: `The sending domain ${ACME} no longer has a signing key`,
    });
    expect(await signEmail(ctx, { ...email, domainId: acme.id }, Buffer.from('To: a@b.example\r\n\r\n'))).toEqual({
      fault: 'The message could not be signed',
    });
  });
});

describe('mail by a relay that changes it', () => {
  /** What such a relay does to a message. */
  const rewrite = (raw: Buffer) =>
    Buffer.from(
      raw
        .toString('latin1')
        .replace(/^Message-ID: .*$/im, 'Message-ID: <0102-other@relay.example>')
        .replace(/^Date: .*$/im, 'Date: Sat, 28 Nov 2026 09:00:02 +0000')
        .replace(/^X-(?:SMTPAPI|MSYS-API|Mailgun-Variables|PM-Metadata-\S*|PM-KeepID): .*\r\n/gim, ''),
      'latin1',
    );

  test.each<[string, FeedbackKind | null, string, RegExp]>([
    ['rewrites ids', null, '', /^/],
    ['is Amazon SES', 'ses', '', /^X-Posthorn-ID: [0-9a-f]{32}\.0\r$/m],
    ['is SendGrid', 'sendgrid', 'key', /^X-SMTPAPI: .*"[0-9a-f]{32}\.0"/m],
    ['is Postmark', 'postmark', 'user:secret', /^X-PM-KeepID: true\r$/m],
  ])('has a signature that verifies behind it, if it %s', async (_, feedback, feedbackSecret, header) => {
    const more = feedback === null ? { rewritesIds: true } : { feedback, feedbackSecret };
    await addRelay(t.ctx, operator, { name: 'a', url: t.sink.url, ...more });
    const match = { workspaceId: null, domain: null, recipientDomain: null, tag: null, priority: null };
    const via = [{ relay: 'a', weight: 1 }];
    await addRoute(t.ctx, operator, { via, fallback: [], order: 1, ...match });
    t.start();
    await t.accept(fromAcme);
    const [message] = await t.sink.waitFor(1);
    expect(message?.raw.toString('latin1')).toMatch(header);
    const authenticate = createReceiver(await listPublishedRecords(t.ctx, [acme.id]));
    const behind = await authenticate(rewrite(message?.raw as Buffer), message?.envelope.from ?? '');
    expect(behind).toEqual(authenticated(acme.key));
  });
});
