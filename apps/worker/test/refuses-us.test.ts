import { setTimeout as sleep } from 'node:timers/promises';
import { first, type Moment, type RawSmtpServer, say, startRawSmtpServer } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

let t: TestWorker;
let taking: RawSmtpServer;
let refusing: RawSmtpServer;
let at: Moment;
let reply: string;

beforeEach(async () => {
  refusing = await startRawSmtpServer((moment) => (moment === at && reply !== '' ? say(reply) : undefined));
  taking = await startRawSmtpServer(() => undefined);
});

afterEach(async () => {
  await t.close();
  await refusing.close();
  await taking.close();
});

/** What relays say when they refuse our account, address or sender. None of it is about the recipient. */
const REFUSALS: ReadonlyArray<readonly [Moment, string]> = [
  [
    'DOT',
    '550 The from address does not match a verified Sender Identity. Mail cannot be sent until this is resolved.',
  ],
  ['RCPT', '554 5.7.1 Domain sandbox0123.example is not allowed to send: The domain is unverified.'],
  ['DOT', '550 5.7.1 Please activate your account. Check your inbox or log in to your control panel.'],
  ['DOT', '454 Throttling failure: Daily message quota exceeded.'],
  [
    'DOT',
    '554 Message rejected: Email address is not verified. The following identities failed the check: news@shop.example',
  ],
  ['DOT', '554 Message rejected: Sending paused for this account. For more information, please check the inbox.'],
  ['MAIL', '530 Authentication required'],
  ['DOT', '554 5.2.252 SendAsDenied; relay@shop.example not allowed to send as news@shop.example'],
  ['DOT', '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed to process message'],
  ['DOT', '550 5.4.5 Daily user sending limit exceeded.'],
  ['RCPT', '554 5.7.1 <jane@example.com>: Relay access denied'],
  ['RCPT', '450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.40]'],
  ['MAIL', '553 5.7.1 <news@shop.example>: Sender address rejected: not owned by user relay'],
  ['CONNECT', '554 5.7.1 no SMTP service for you here'],
];

const deferrals = () => t.ctx.db('deliveries').pluck('deferrals');

describe('a relay that refuses us', () => {
  test.each(REFUSALS)('at %s with %s does not get in the way of the next relay', async (moment, text) => {
    [at, reply] = [moment, text];
    t = await openTestWorker({ config: { smtpUrls: [refusing.url, taking.url] } });
    const email = await t.until(await t.accept(), 'sent');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['sent']);
    expect(taking.messages).toHaveLength(1);
  });

  test.each(REFUSALS)('at %s with %s makes the email wait, uncharged', async (moment, text) => {
    [at, reply] = [moment, text];
    t = await openTestWorker({ config: { smtpUrls: [refusing.url] } });
    const id = await t.accept();
    const email = await t.until(id, 'deferred');
    expect(email.attempts.at(-1)).toMatchObject({ outcome: 'route_fault' });
    expect(email.recipients).toMatchObject([{ status: 'queued' }]);
    // RETRY_SCHEDULE has two steps of a second. None of them is used up.
    await sleep(3_000);
    expect((await t.read(id)).status).not.toBe('bounced');
    expect(await deferrals()).toEqual([0]);
    reply = '';
    await t.until(id, 'sent');
  });
});

test('a relay that limits our rate keeps the email', async () => {
  [at, reply] = ['DOT', '454 Throttling failure: Maximum sending rate exceeded.'];
  t = await openTestWorker({ config: { smtpUrls: [refusing.url, taking.url] } });
  const id = await t.accept();
  const email = await t.until(id, 'deferred');
  expect(email.attempts).toMatchObject([{ outcome: 'route_fault' }]);
  expect(await deferrals()).toEqual([0]);
  reply = '';
  await t.until(id, 'sent');
  expect(taking.messages).toHaveLength(0);
});

test.each(['552 5.3.4 Message is too long.', "554 Transaction failed: Duplicate header 'DKIM-Signature'."])(
  'a refusal of our message fails the email and bounces nobody: %s',
  async (text) => {
    [at, reply] = ['DOT', text];
    t = await openTestWorker({ config: { smtpUrls: [refusing.url] } });
    const email = await t.until(await t.accept(), 'failed');
    expect(email.recipients).toMatchObject([{ status: 'failed', smtpResponse: text }]);
    expect(email.events.map(({ type }) => type)).not.toContain('bounced');
  },
);

test('recipients of whom there are too many go with the next transaction, uncharged', async () => {
  t = await openTestWorker({ config: { smtpUrls: [taking.url] }, started: false });
  [at, reply] = ['RCPT', '452 4.5.3 Error: too many recipients'];
  const limiting = await startRawSmtpServer((moment, to) =>
    moment === 'RCPT' && to.length > 2 ? say(reply) : undefined,
  );
  t.start({ smtpUrls: [limiting.url] });
  const id = await t.accept({
    to: ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com', 'e@example.com'],
  });
  const email = await t.until(id, 'sent');
  expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['partial', 'partial', 'sent']);
  expect(limiting.messages).toHaveLength(3);
  expect(email.recipients.every(({ smtpCode }) => smtpCode === 250)).toBe(true);
  await limiting.close();
});

test.each([
  ['RCPT', '550 5.1.1 <jane@example.com>: user unknown', 'bounced'],
  ['DOT', '550 5.7.1 message content rejected', 'bounced'],
] as const)('other refusals still bounce: %s %s', async (moment, text, status) => {
  [at, reply] = [moment, text];
  t = await openTestWorker({ config: { smtpUrls: [refusing.url, taking.url] } });
  await t.until(await t.accept(), status);
  expect(taking.messages).toHaveLength(0);
});

test('a full mailbox is still a charged attempt', async () => {
  const full = await startRawSmtpServer(first('RCPT', say('452 4.2.2 mailbox full')));
  t = await openTestWorker({ config: { smtpUrls: [full.url] } });
  const email = await t.until(await t.accept(), 'sent');
  expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['deferred', 'sent']);
  await full.close();
});
