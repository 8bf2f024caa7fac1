import { operator } from '@posthorn/domain/audit-log';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { newDomainName } from '../new-domain-name.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
const inSeconds = (seconds: number, from = Date.now()) => new Date(from + seconds * 1_000).toISOString();

const send = (body: object, path = '/api/v1/emails', headers = {}) =>
  t.api.post(path).set(t.auth).set(headers).send(body);

async function warningsFor(more: object): Promise<Array<{ code: string; message: string }>> {
  const { status, body } = await send({ ...email, ...more });
  expect(status).toBe(202);
  return body.warnings;
}

describe('warnings of an accepted email', () => {
  test('are empty if nothing is surprising', async () => {
    expect(await warningsFor({ expires_at: inSeconds(3_600) })).toEqual([]);
  });

  test('name both senders if the workspace has no verified domain', async () => {
    const used = `${t.workspace.slug}@posthorn.localhost`;
    expect(await warningsFor({ from_: 'Acme <hello@acme.example>' })).toEqual([
      {
        code: 'sender_replaced',
        message: `The email is sent from ${used} instead of hello@acme.example, because this workspace has no verified domain. Verify one, or omit from_.`,
      },
    ]);
    expect(await warningsFor({ from_: used })).toEqual([]);
  });

  test('say nothing about the sender if the requested one is used', async () => {
    const name = newDomainName('acme');
    const domain = await createDomain(t.ctx, operator, t.workspace.id, name);
    await markDomainVerified(t.ctx, domain.id);
    expect(await warningsFor({ from_: `Acme <hello@${name}>` })).toEqual([]);
  });

  test('name the recipients that are suppressed', async () => {
    const [one, two] = ['suppressed@simulator.posthorn.localhost', 'suppressed+2@simulator.posthorn.localhost'];
    const named = (message: string) => [{ code: 'suppressed_recipients', message }];
    expect(await warningsFor({ cc: [one] })).toEqual(
      named(`One recipient is suppressed and will not get the email: ${one}.`),
    );
    expect(await warningsFor({ bcc: [one, two, 'bounced@simulator.posthorn.localhost'] })).toEqual(
      named(`2 recipients are suppressed and will not get the email: ${one}, ${two}.`),
    );
  });

  test('count recipients that occur more than once', async () => {
    const to = ['jane@example.com', 'Jane <JANE@example.com>'];
    expect(await warningsFor({ to, cc: ['jane@example.com'] })).toEqual([
      {
        code: 'duplicate_recipients_removed',
        message: '2 recipients occurred more than once. Every address gets the email once.',
      },
    ]);
  });

  test.each([
    ['now', () => ({ expires_at: inSeconds(30) }), /^The email expires (1\d|2\d|30) seconds after it is due/],
    [
      'later',
      (now = Date.now()) => ({ scheduled_at: inSeconds(3_600, now), expires_at: inSeconds(3_630, now) }),
      /^The email expires 30 seconds after it is due/,
    ],
  ])('say that an email that is due %s expires soon', async (_, times, message) => {
    const [warning, ...others] = await warningsFor(times());
    expect([warning?.code, others]).toEqual(['expires_soon', []]);
    expect(warning?.message).toMatch(message);
  });

  test('are returned for each email in a batch, and again in a replay', async () => {
    const batch = [email, { ...email, to: ['a@example.com', 'a@example.com'] }];
    const headers = { 'Idempotency-Key': 'batch-1' };
    const { body, text } = await send(batch, '/api/v1/emails/batch', headers);
    expect(body.data.map(({ warnings }: { warnings: object[] }) => warnings.length)).toEqual([0, 1]);
    expect((await send(batch, '/api/v1/emails/batch', headers)).text).toBe(text);
  });
});
