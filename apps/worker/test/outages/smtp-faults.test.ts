import { operator } from '@posthorn/domain/audit-log';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { parseAddress } from '@posthorn/domain/format';
import type { Config } from '@posthorn/platform/config';
import {
  always,
  cut,
  type Fault,
  first,
  type RawSmtpServer,
  type Reaction,
  say,
  sayAndCut,
  startRawSmtpServer,
  until,
} from '@posthorn/testing';
import { type EmailOptions, openTestWorker, type TestWorker } from '../open-test-worker.js';

let t: TestWorker;
let worker: ReturnType<TestWorker['start']>;
let server: RawSmtpServer;
let fault: Fault;

/** Twelve megabytes when encoded, which is more than the socket buffers hold. */
const TEXT = `${'\u00e9'.repeat(60)}\r\n`.repeat(16_000);
const PIPELINING = { extensions: ['PIPELINING'] };
const LARGE: EmailOptions = { content: { kind: 'raw', subject: 'Large', html: TEXT, text: TEXT } };

async function open({
  config = {},
  extensions = [],
  login = '',
}: {
  config?: Partial<Config>;
  extensions?: string[];
  login?: string;
} = {}): Promise<void> {
  fault = () => undefined;
  server = await startRawSmtpServer((...at) => fault(...at), extensions);
  const smtpUrls = [server.url.replace('//', `//${login}`)];
  t = await openTestWorker({ config: { smtpUrls, ...config }, started: false });
  worker = t.start();
}

afterEach(async () => {
  await t.close();
  await server.close();
});

/** The number of attempts charged so far. Call this while the email waits for the next attempt. */
async function countDeferrals(id: string): Promise<number> {
  return (await t.ctx.db('deliveries').where({ email_id: id }).first()).deferrals;
}

/** The number of ambiguous attempts, according to /metrics. */
async function ambiguousCount(): Promise<number> {
  const { values } = await worker.ctx.metrics.attempts.get();
  return values.find(({ labels }) => labels.outcome === 'ambiguous')?.value ?? 0;
}

const outcomes = ({ attempts }: { attempts: Array<{ outcome: string | null }> }) =>
  attempts.map(({ outcome }) => outcome);
const messageIds = () => server.messages.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1]);

describe('a connection that breaks', () => {
  test('before the reply to MAIL defers the email, which is later sent once', async () => {
    await open();
    fault = first('MAIL', cut);
    const id = await t.accept();
    const deferred = await t.until(id, 'deferred');
    expect(deferred.attempts[0]).toMatchObject({ outcome: 'deferred', phase: 'envelope' });
    expect(await countDeferrals(id)).toBe(1);
    const email = await t.until(id, 'sent');
    expect(outcomes(email)).toEqual(['deferred', 'sent']);
    expect(email.events.map(({ type }) => type)).not.toContain('ambiguous');
    expect(server.messages).toHaveLength(1);
  });

  test('in the middle of the message defers the email, which is later sent once', async () => {
    await open();
    fault = first('BODY', cut);
    const id = await t.accept(LARGE);
    const deferred = await t.until(id, 'deferred');
    expect(deferred.attempts[0]).toMatchObject({ outcome: 'deferred', phase: 'data' });
    const email = await t.until(id, 'sent');
    expect(email.events.map(({ type }) => type)).not.toContain('ambiguous');
    expect(server.messages).toHaveLength(1);
  });

  test('after the final dot makes the attempt ambiguous, and both copies have the same Message-ID', async () => {
    await open();
    fault = first('DOT', cut);
    const id = await t.accept();
    const deferred = await t.until(id, 'deferred');
    expect(deferred.attempts[0]).toMatchObject({ outcome: 'ambiguous', phase: 'reply' });
    expect(deferred.events.at(-1)).toMatchObject({ type: 'ambiguous' });
    expect(await countDeferrals(id)).toBe(1);
    const email = await t.until(id, 'sent');
    expect(outcomes(email)).toEqual(['ambiguous', 'sent']);
    expect(await ambiguousCount()).toBe(1);
    expect(messageIds()).toEqual([`<${id}@posthorn.localhost>`, `<${id}@posthorn.localhost>`]);
  });

  test('after the final dot fails the email with AMBIGUOUS_POLICY=hold, and no second copy is sent', async () => {
    await open({ config: { ambiguousPolicy: 'hold' } });
    fault = first('DOT', cut);
    const email = await t.until(await t.accept(), 'failed');
    expect(await ambiguousCount()).toBe(1);
    expect(outcomes(email)).toEqual(['ambiguous']);
    expect(email.events.map(({ type }) => type)).toContain('ambiguous');
    expect(server.messages).toHaveLength(1);
  });

  test('after the final dot of the last attempt fails the email with a reason', async () => {
    await open({ config: { retryScheduleSeconds: [] } });
    fault = first('DOT', cut);
    const email = await t.until(await t.accept(), 'failed');
    expect(email.events.at(-1)?.detail).toMatch(/It will not be sent again, because this was the last attempt\.$/);
    expect(server.messages).toHaveLength(1);
  });

  test('after the final dot preserves the refusal of a single recipient', async () => {
    await open();
    const refusal = first('DOT', cut);
    fault = (moment, to, from) =>
      moment === 'RCPT' && to.at(-1) === 'gone@example.com' ? say('550 5.1.1 Nobody here') : refusal(moment, to, from);
    const id = await t.accept({ to: ['jane@example.com', 'gone@example.com'] });
    const { recipients } = await t.until(id, 'deferred');
    expect(recipients.map(({ status, smtpCode }) => [status, smtpCode])).toEqual([
      ['deferred', null],
      ['bounced', 550],
    ]);
    await t.until(id, 'sent');
  });
});

describe('an idle session', () => {
  const endings: Array<[string, () => void]> = [
    ['was closed by the server', () => server.cutAll()],
    ['is closed with 421 when it is reused', () => (fault = first('MAIL', sayAndCut('421 4.4.2 Idle too long')))],
    ['breaks when it is reused', () => (fault = first('MAIL', cut))],
    ['may not carry more messages', () => (fault = first('MAIL', say('452 4.5.3 Too many messages sent')))],
  ];

  test.each(endings)('that %s does not affect the next email', async (_title, end) => {
    await open();
    await t.until(await t.accept(), 'sent');
    end();
    const id = await t.accept();
    expect(outcomes(await t.until(id, 'sent'))).toEqual(['sent']);
    expect(server.messages).toHaveLength(2);
    expect(server.connections()).toBe(2);
  });
});

describe('a reply', () => {
  test('of 552 to RCPT, formerly "too many recipients", defers the email instead of bouncing it', async () => {
    await open();
    fault = first('RCPT', say('552 Too many recipients'));
    const id = await t.accept();
    expect(outcomes(await t.until(id, 'deferred'))).toEqual(['route_fault']);
    await t.until(id, 'sent');
  });

  test.each([
    ['421 to RCPT', 'RCPT'],
    ['421 after the final dot', 'DOT'],
  ] as const)('of %s defers the email and charges the attempt', async (_title, moment) => {
    await open();
    fault = first(moment, sayAndCut('421 4.7.0 Too many errors'));
    const id = await t.accept();
    const deferred = await t.until(id, 'deferred');
    expect(deferred.recipients[0]).toMatchObject({ status: 'deferred', smtpCode: 421 });
    expect(outcomes(deferred)).toEqual(['deferred']);
    expect(await countDeferrals(id)).toBe(1);
    await t.until(id, 'sent');
  });

  test('without a code after the final dot makes the attempt ambiguous', async () => {
    await open();
    fault = first('DOT', say('Thank you'));
    const email = await t.until(await t.accept(), 'sent');
    expect(outcomes(email)).toEqual(['ambiguous', 'sent']);
  });

  test('of 552 in the middle of the message fails the email, and the session is not reused', async () => {
    await open();
    fault = first('BODY', say('552 5.3.4 Too large'));
    const large = await t.until(await t.accept(LARGE), 'failed');
    expect(large.recipients[0]).toMatchObject({ smtpCode: 552 });
    await t.until(await t.accept(), 'sent');
    expect(server.connections()).toBe(2);
    expect(server.messages.at(-1)?.raw).toContain('Hi');
  });

  test('is recorded, whatever bytes it contains', async () => {
    await open();
    fault = first('DOT', say('554-Gone\u0000\r\n554-fr\u00fch \u00ff\r\n554 lone\rreturn'));
    const email = await t.until(await t.accept(), 'bounced');
    expect(email.recipients[0]).toMatchObject({ smtpCode: 554 });
    for (const part of ['Gone\uFFFD', 'fr\u00fch \u00ff', 'return']) {
      expect(email.recipients[0]?.smtpResponse).toContain(part);
      expect(email.attempts[0]?.conversation.join('\n')).toContain(part);
    }
  });

  test('is not needed when the message exceeds the advertised SIZE', async () => {
    await open({ extensions: ['SIZE 1000'] });
    const email = await t.until(await t.accept(LARGE), 'failed');
    expect(email.recipients[0]).toMatchObject({ status: 'failed', smtpCode: 552 });
    expect(email.attempts).toHaveLength(1);
    expect(server.mails).toHaveLength(0);
  });
});

describe('no attempt is charged while a relay refuses us by', () => {
  const refusals: Array<[string, Fault, { extensions?: string[]; login?: string }]> = [
    ['greeting with 554', always('CONNECT', say('554 No service for you')), {}],
    ['replying 421 to MAIL', always('MAIL', sayAndCut('421 4.3.2 Closing')), {}],
    ['replying 421 to a pipelined MAIL', always('MAIL', sayAndCut('421 4.3.2 Closing')), PIPELINING],
    ['replying 530 to MAIL', always('MAIL', say('530 5.7.0 Authentication required')), {}],
    ['replying 452 to MAIL', always('MAIL', say('452 4.3.1 Disk full')), {}],
    ['closing the connection at MAIL', always('MAIL', cut), {}],
    [
      'refusing the password with 535',
      always('AUTH', say('535 5.7.8 Wrong password')),
      { extensions: ['AUTH PLAIN'], login: 'me:wrong@' },
    ],
  ];

  test.each(refusals)('%s', async (_title, refusal, options) => {
    await open(options);
    fault = refusal;
    const id = await t.accept();
    const waiting = await t.until(id, 'deferred');
    expect(outcomes(waiting)).toEqual(['route_fault']);
    expect(waiting.recipients[0]).toMatchObject({ status: 'queued', smtpCode: null });
    expect(JSON.stringify(waiting.attempts)).not.toContain('wrong');
    expect(await countDeferrals(id)).toBe(0);
    fault = () => undefined;
    await t.until(id, 'sent');
  });
});

describe('while a relay refuses the mail of one tenant by', () => {
  const REFUSED = 'refused@example.com';
  const refusals: Array<[string, Fault, { extensions?: string[] }]> = [
    ['replying 421 to the sender', refuseSender(sayAndCut('421 4.7.0 Not from you')), {}],
    ['replying 421 to the pipelined sender', refuseSender(sayAndCut('421 4.7.0 Not from you')), PIPELINING],
    ['closing the connection after the sender', refuseSender(cut), {}],
    ['replying 421 to the recipient', refuseRecipient(sayAndCut('421 4.7.0 Not to them')), {}],
  ];

  function refuseSender(reaction: Reaction): Fault {
    return (moment, _to, from) => (moment === 'MAIL' && from.endsWith('@bounces.acme.example') ? reaction : undefined);
  }

  function refuseRecipient(reaction: Reaction): Fault {
    return (moment, to) => (moment === 'RCPT' && to.includes(REFUSED) ? reaction : undefined);
  }

  test.each(refusals)('%s, attempts are charged but other tenants do not wait', async (_title, refusal, options) => {
    await open(options);
    const { id: domainId } = await createDomain(t.ctx, operator, t.workspaceId, 'acme.example');
    await markDomainVerified(t.ctx, domainId);
    fault = refusal;
    const refused = await t.accept({ from: parseAddress('hi@acme.example'), to: [REFUSED] });
    const deferred = await t.until(refused, 'deferred');
    expect(outcomes(deferred)).toEqual(['deferred']);
    expect(await countDeferrals(refused)).toBe(1);
    expect(worker.ctx.relays.areAvailable()).toBe(true);

    const other = await t.otherWorkspace();
    const sent = await other.accept();
    await until(() => server.messages.length === 1);
    const failed = await t.until(refused, 'failed');
    expect(outcomes(failed)).toEqual(['deferred', 'deferred', 'deferred']);
    expect(await t.ctx.db('delivery_attempts').where({ email_id: sent }).pluck('outcome')).toEqual(['sent']);
  });

  test.each([
    ['the sender', refuseSender(say('530 5.7.0 Not from you'))],
    ['the recipient', refuseRecipient(say('530 5.7.0 Not to them'))],
  ])('replying 530 to %s, no attempt is charged and other tenants do not wait', async (_title, refusal) => {
    await open();
    const { id: domainId } = await createDomain(t.ctx, operator, t.workspaceId, 'acme.example');
    await markDomainVerified(t.ctx, domainId);
    fault = refusal;
    const refused = await t.accept({ from: parseAddress('hi@acme.example'), to: [REFUSED] });
    expect(outcomes(await t.until(refused, 'deferred'))).toEqual(['route_fault']);
    expect(await countDeferrals(refused)).toBe(0);
    expect(worker.ctx.relays.areAvailable()).toBe(true);
    const other = await t.otherWorkspace();
    await other.accept();
    await until(() => server.messages.length === 1);
    fault = () => undefined;
    await t.until(refused, 'sent');
  });
});

describe('a slow recipient', () => {
  test('delays no other email', async () => {
    await open({ config: { workerConcurrency: 5 } });
    let reply: (() => void) | undefined;
    const hold: Reaction = (socket) => {
      reply = () => say('250 OK')(socket);
    };
    fault = (moment, to) => (moment === 'RCPT' && to[0] === 'slow@example.com' ? hold : undefined);
    const slow = await t.accept({ to: ['slow@example.com'] });
    await until(() => reply !== undefined);
    const others = await Promise.all(Array.from({ length: 20 }, () => t.accept()));
    await Promise.all(others.map((id) => t.until(id, 'sent')));
    expect((await t.read(slow)).status).toBe('sending');
    reply?.();
    await t.until(slow, 'sent');
    expect(server.messages).toHaveLength(21);
  });
});
