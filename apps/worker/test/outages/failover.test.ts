import {
  always,
  cut,
  type Fault,
  first,
  type RawSmtpServer,
  say,
  sayAndCut,
  silence,
  startRawSmtpServer,
} from '@posthorn/testing';
import { defaultTimeouts } from '../default-timeouts.js';
import { type EmailOptions, openTestWorker, type TestWorker } from '../open-test-worker.js';
import { openTestRelays } from '../test-relays.js';
import { warningLog } from '../warning-log.js';

let t: TestWorker;
let servers: Array<RawSmtpServer & { fault: Fault }>;
const [ONE, TWO] = [0, 1] as const;
const server = (which: 0 | 1) => servers[which] as RawSmtpServer & { fault: Fault };

/** More than the socket buffers hold, so that a server can drop the connection in the middle of the message. */
const TEXT = `${'\u00e9'.repeat(60)}\r\n`.repeat(16_000);
const LARGE: EmailOptions = { content: { kind: 'raw', subject: 'Large', html: TEXT, text: TEXT } };

async function startServer(): Promise<RawSmtpServer & { fault: Fault }> {
  const raw = await startRawSmtpServer((...at) => started.fault(...at));
  const started = { ...raw, fault: (() => undefined) as Fault };
  return started;
}

beforeEach(async () => {
  servers = [await startServer(), await startServer()];
  t = await openTestWorker({ config: { smtpUrls: servers.map(({ url }) => url) }, started: false });
});

afterEach(async () => {
  await t.close();
  for (const each of servers) await each.close();
});

/** Replies to RCPT with the code in the recipient's local part: `550@example.com` gets 550. */
const byLocalPart: Fault = (moment, to) =>
  moment === 'RCPT' ? say(`${to.at(-1)?.slice(0, 3)} 5.1.1 As you wish`) : undefined;

const route = (which: 0 | 1) => `env-${which + 1}`;
const recipientsAt = (which: 0 | 1) => server(which).messages.map(({ to }) => to);
const statuses = (email: { recipients: Array<{ address: string; status: string }> }) =>
  Object.fromEntries(email.recipients.map(({ address, status }) => [address, status]));

async function countDeferrals(id: string): Promise<number> {
  return (await t.ctx.db('deliveries').where({ email_id: id }).first()).deferrals;
}

/** Accepts an email and starts the worker, so that the first attempt encounters the faults. */
async function send(options?: EmailOptions): Promise<string> {
  const id = await t.accept(options);
  t.start();
  return id;
}

describe('an email is sent once, in one attempt, by the second relay if the first', () => {
  /** @property refused how many messages the first relay received and refused */
  const modes: Array<[string, Fault, { refused?: number; email?: EmailOptions }]> = [
    ['closes the connection at EHLO', always('EHLO', cut), {}],
    ['closes the connection at MAIL', always('MAIL', cut), {}],
    ['closes the connection at RCPT', always('RCPT', cut), {}],
    ['closes the connection at DATA', always('DATA', cut), {}],
    ['closes the connection in the middle of the message', always('BODY', cut), { email: LARGE }],
    ['greets with 421', always('CONNECT', sayAndCut('421 4.3.2 Busy')), {}],
    ['greets with 554', always('CONNECT', say('554 No service for you')), {}],
    ['replies 421 to MAIL', always('MAIL', sayAndCut('421 4.3.2 Closing')), {}],
    ['replies 451 to MAIL', always('MAIL', say('451 4.3.0 Not now')), {}],
    ['replies 530 to MAIL', always('MAIL', say('530 5.7.0 Authentication required')), {}],
    ['replies 550 to MAIL', always('MAIL', say('550 5.7.1 Not from you')), {}],
    ['replies 451 to RCPT', always('RCPT', say('451 4.2.1 Not now')), {}],
    ['replies 421 to RCPT', always('RCPT', sayAndCut('421 4.7.0 Too many errors')), {}],
    ['replies 451 to DATA', always('DATA', say('451 4.3.0 Not now')), {}],
    ['replies 451 to the message', always('DOT', say('451 4.3.0 Not now')), { refused: 1 }],
    ['replies 421 to the message', always('DOT', sayAndCut('421 4.3.2 Closing')), { refused: 1 }],
  ];

  test.each(modes)('%s', async (_title, fault, { refused = 0, email: options }) => {
    server(ONE).fault = fault;
    const email = await t.until(await send(options), 'sent');
    expect(email.attempts).toMatchObject([{ attempt: 1, outcome: 'sent', route: route(TWO) }]);
    expect(server(ONE).messages).toHaveLength(refused);
    expect(server(TWO).messages).toHaveLength(1);
  });

  test('refuses connections', async () => {
    await server(ONE).close();
    const email = await t.until(await send(), 'sent');
    expect(email.attempts).toMatchObject([{ attempt: 1, outcome: 'sent', route: route(TWO) }]);
    expect(server(TWO).messages).toHaveLength(1);
  });
});

describe('the second relay gets nothing if the first', () => {
  test.each([
    ['closes the connection', cut],
    ['replies 354 again', say('354 Go on')],
    ['sends something that is not a reply', say('Thank you')],
  ])('%s after the final dot, and the attempt is ambiguous', async (_title, reaction) => {
    server(ONE).fault = first('DOT', reaction);
    const email = await t.until(await send(), 'sent');
    expect(email.attempts.map(({ outcome, route: used }) => [outcome, used])).toEqual([
      ['ambiguous', route(ONE)],
      ['sent', route(ONE)],
    ]);
    expect(server(ONE).messages).toHaveLength(2);
    expect(server(TWO).mails).toHaveLength(0);
  });

  test('does not reply to the final dot in time', async () => {
    server(ONE).fault = first('DOT', silence);
    const id = await t.accept();
    t.start({ smtpTimeouts: { greetingSeconds: 1, replySeconds: 1, finalReplySeconds: 1, transactionSeconds: 10 } });
    const { attempts } = await t.until(id, 'sent');
    expect(attempts).toMatchObject([
      { outcome: 'ambiguous', route: route(ONE) },
      { outcome: 'sent', route: route(ONE) },
    ]);
    const ids = server(ONE).messages.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1]);
    expect(new Set(ids).size).toBe(1);
    expect(server(TWO).mails).toHaveLength(0);
  });

  test("closes the connection after its 250, which is nobody's fault", async () => {
    server(ONE).fault = always('DOT', sayAndCut('250 2.0.0 Queued'));
    expect((await t.until(await send(), 'sent')).attempts).toMatchObject([{ outcome: 'sent', route: route(ONE) }]);
    expect((await t.until(await t.accept(), 'sent')).attempts).toMatchObject([{ outcome: 'sent', route: route(ONE) }]);
    expect(server(TWO).mails).toHaveLength(0);
  });

  test.each([
    ['the recipient', 'RCPT', 550],
    ['the message', 'DOT', 554],
    ['the message before its first byte', 'DATA', 554],
  ] as const)('refuses %s for good', async (_title, moment, code) => {
    server(ONE).fault = always(moment, say(`${code} 5.7.1 No`));
    const email = await t.until(await send(), 'bounced');
    expect(email.recipients[0]).toMatchObject({ smtpCode: code });
    expect(email.attempts).toHaveLength(1);
    expect(server(TWO).mails).toHaveLength(0);
  });
});

describe('of several recipients', () => {
  test('those that the first relay accepted never get the message from the second', async () => {
    server(ONE).fault = byLocalPart;
    const id = await send({ to: ['250@example.com', '451@example.com', '550@example.com'] });
    const deferred = await t.until(id, 'deferred');
    expect(statuses(deferred)).toEqual({
      '250@example.com': 'sent',
      '451@example.com': 'deferred',
      '550@example.com': 'bounced',
    });
    expect(deferred.attempts).toMatchObject([{ outcome: 'partial', route: route(ONE) }]);
    const email = await t.until(id, 'sent');
    expect(email.attempts).toMatchObject([{}, { outcome: 'sent', route: route(TWO) }]);
    expect(recipientsAt(TWO)).toEqual([['451@example.com']]);
    expect(server(ONE).messages).toHaveLength(1);
  });

  test('those that the first relay refused for good are not offered to the second', async () => {
    const refusal = always('DOT', say('451 4.3.0 Not now'));
    server(ONE).fault = (moment, to, from) => byLocalPart(moment, to, from) ?? refusal(moment, to, from);
    const email = await t.until(await send({ to: ['250@example.com', '550@example.com'] }), 'sent');
    expect(statuses(email)).toEqual({ '250@example.com': 'sent', '550@example.com': 'bounced' });
    expect(email.attempts).toMatchObject([{ outcome: 'partial', route: route(TWO) }]);
    expect(recipientsAt(TWO)).toEqual([['250@example.com']]);
  });

  test('those for which the first relay refuses us go by the second, alone', async () => {
    server(ONE).fault = (moment, to) =>
      moment === 'RCPT' && to.at(-1)?.startsWith('two@') ? say('554 5.7.1 Relaying denied') : undefined;
    const email = await t.until(await send({ to: ['one@example.com', 'two@example.com'] }), 'sent');
    expect(statuses(email)).toEqual({ 'one@example.com': 'sent', 'two@example.com': 'sent' });
    expect([server(ONE).messages.length, recipientsAt(TWO)]).toEqual([1, [['two@example.com']]]);
  });

  test('each has the last reply that it got', async () => {
    server(ONE).fault = byLocalPart;
    server(TWO).fault = always('RCPT', say('452 4.2.2 Full'));
    const deferred = await t.until(await send({ to: ['451@example.com', '550@example.com'] }), 'deferred');
    expect(deferred.recipients.map(({ status, smtpCode }) => [status, smtpCode])).toEqual([
      ['deferred', 452],
      ['bounced', 550],
    ]);
  });
});

describe('an email that no relay accepts', () => {
  test('has the result of the last relay, and the attempt shows the conversation with each', async () => {
    server(ONE).fault = always('RCPT', say('451 4.2.1 Not now'));
    server(TWO).fault = always('DOT', say('452 4.3.1 Disk full'));
    const id = await send();
    const deferred = await t.until(id, 'deferred');
    expect(deferred.recipients[0]).toMatchObject({ status: 'deferred', smtpCode: 452 });
    expect(deferred.attempts).toMatchObject([{ outcome: 'deferred', phase: 'reply', route: route(TWO) }]);
    const conversation = deferred.attempts[0]?.conversation ?? [];
    const told = ['-- ', 'S: 4'].map((start) => conversation.filter((line) => line.startsWith(start)));
    expect(told).toEqual([
      [`-- ${route(ONE)}`, `-- ${route(TWO)}`],
      ['S: 451 4.2.1 Not now', 'S: 452 4.3.1 Disk full'],
    ]);
    expect(await countDeferrals(id)).toBe(1);
  });

  test('has the reply of the only relay that could be reached', async () => {
    server(ONE).fault = always('DOT', say('451 4.3.0 Not now'));
    await server(TWO).close();
    const id = await send();
    const deferred = await t.until(id, 'deferred');
    expect(deferred.recipients[0]).toMatchObject({ status: 'deferred', smtpCode: 451 });
    expect(deferred.attempts).toMatchObject([{ outcome: 'deferred', phase: 'reply', route: route(ONE) }]);
    expect(deferred.attempts[0]?.conversation.at(-1)).toMatch(/^-- .*ECONNREFUSED/);
    expect(await countDeferrals(id)).toBe(1);
  });

  test('is not charged an attempt if every relay is at fault', async () => {
    server(ONE).fault = always('MAIL', sayAndCut('421 4.3.2 Closing'));
    await server(TWO).close();
    const id = await send();
    expect((await t.until(id, 'deferred')).attempts[0]).toMatchObject({ outcome: 'route_fault' });
    expect(await countDeferrals(id)).toBe(0);
    server(ONE).fault = () => undefined;
    await t.until(id, 'sent');
  });

  test('is deferred if one relay refuses the sender for good and the other cannot be reached', async () => {
    server(ONE).fault = always('MAIL', say('550 5.7.1 Not from you'));
    await server(TWO).close();
    const deferred = await t.until(await send(), 'deferred');
    expect(deferred.recipients[0]).toMatchObject({ status: 'deferred', smtpCode: 550 });
  });

  test('bounces if every relay refuses the sender for good', async () => {
    for (const each of servers) each.fault = always('MAIL', say('550 5.7.1 Not from you'));
    const email = await t.until(await send(), 'bounced');
    expect(email.attempts).toHaveLength(1);
  });

  test('is ambiguous if the last relay may have it, whatever the first replied', async () => {
    server(ONE).fault = always('RCPT', say('451 4.2.1 Not now'));
    server(TWO).fault = always('DOT', cut);
    const deferred = await t.until(await send(), 'deferred');
    expect(deferred.attempts).toMatchObject([{ outcome: 'ambiguous', route: route(TWO) }]);
    expect(deferred.recipients[0]).toMatchObject({ status: 'deferred', smtpCode: null });
  });
});

test('for each relay, the lease is checked before the first byte of the message is sent', async () => {
  const log = warningLog();
  const settings = { smtpUrls: servers.map(({ url }) => url), checkSender: 'check@example.com' };
  const relays = openTestRelays({ ...settings, timeouts: defaultTimeouts }, log);
  server(ONE).fault = always('DOT', say('451 4.3.0 Not now'));
  const isLive = [true, false];
  const sent = await relays.send({
    workspaceId: 'acme',
    envelope: { from: 'me@example.com', to: ['jane@example.com'] },
    message: Buffer.from('Subject: Hi\r\n\r\nHi\r\n'),
    mayStart: () => isLive.shift() ?? false,
  });
  relays.close();
  expect(sent).toMatchObject({ end: 'lease_ended' });
  expect(isLive).toEqual([]);
  expect(server(TWO).messages).toHaveLength(0);
});
