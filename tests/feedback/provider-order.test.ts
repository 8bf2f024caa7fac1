import { operator } from '@posthorn/domain/audit-log';
import { buildFeedbackKey } from '@posthorn/domain/emails';
import { limits } from '@posthorn/domain/limits';
import { removeRelay, updateRelay } from '@posthorn/domain/relays';
import { until } from '@posthorn/testing';
import { openProviderRig, type ProviderRig, type SentEmail } from './provider-rig.js';

let rig: ProviderRig;

beforeAll(async () => {
  rig = await openProviderRig();
});

afterAll(() => rig.close());

const JANE = 'jane@inbox.example';
let events = 0;

/** An event of SendGrid, at a minute past nine. */
function event(kind: string, about: Pick<SentEmail, 'key'> | null, minute = 0, more: object = {}): object {
  events += 1;
  return {
    event: kind,
    email: JANE,
    timestamp: Date.UTC(2026, 10, 28, 9, minute) / 1_000,
    sg_event_id: `event-${events}`,
    ...(about && { posthorn_id: about.key }),
    ...more,
  };
}

const bounce = (about: Pick<SentEmail, 'key'> | null, minute = 10, more: object = {}) =>
  event('bounce', about, minute, { type: 'bounce', reason: '550 5.1.1 no such user', ...more });

async function play(email: SentEmail, ...steps: object[]) {
  for (const step of steps) {
    expect(await rig.post(rig.relay('sendgrid'), JSON.stringify([step]))).toMatchObject({ status: 200 });
    await rig.processed();
  }
  return rig.read(email);
}

const send = () => rig.send({ relay: rig.relay('sendgrid') });
const typesIn = (listed: readonly string[]) =>
  listed.map((line) => line.split(' ')[0]).filter((type) => type !== 'accepted');

describe('the order of events', () => {
  test('a bounce that comes twice counts once', async () => {
    const email = await send();
    const twice = bounce(email);
    expect(await play(email, twice, twice, { ...twice, sg_event_id: 'another' })).toMatchObject({
      status: 'bounced',
      suppressed: [`${JANE} hard_bounce`],
      events: [expect.anything(), `sent ${JANE}`, `bounced ${JANE}`],
    });
  });

  test('a deferral that comes after the delivery is in the history, at its own time', async () => {
    const email = await send();
    const state = await play(
      email,
      event('delivered', email, 6),
      event('deferred', email, 3, { response: '451 later' }),
    );
    expect(state.status).toBe('delivered');
    expect(typesIn(state.events)).toEqual(['sent', 'delivered', 'deferred']);
    expect(state.email.events.slice(-2).map(({ createdAt }) => createdAt.toISOString())).toEqual([
      '2026-11-28T09:06:00.000Z',
      '2026-11-28T09:03:00.000Z',
    ]);
  });

  test.each([
    ['a bounce after the delivery', ['delivered', 'bounce'], 'bounced'],
    ['a delivery after the bounce', ['bounce', 'delivered'], 'bounced'],
    ['a delivery after the complaint', ['spamreport', 'delivered'], 'complained'],
    ['a complaint after the bounce', ['bounce', 'spamreport'], 'bounced'],
  ])('%s', async (_, kinds, status) => {
    const email = await send();
    const steps = kinds.map((kind) => (kind === 'bounce' ? bounce(email) : event(kind, email)));
    expect(await play(email, ...steps)).toMatchObject({ status });
  });

  test('of several changes that come together, the last one counts', async () => {
    const emails: SentEmail[] = [];
    for (let count = 1; count <= 5; count += 1) emails.push(await send());
    const body = emails.flatMap((email) => [event('delivered', email), event('spamreport', email)]);
    await rig.post(rig.relay('sendgrid'), JSON.stringify(body));
    await rig.processed();
    for (const email of emails) expect((await rig.read(email)).recipients).toEqual({ [JANE]: 'complained' });
  });

  test('an event that was signed 20 hours ago is taken, and one of 27 hours ago is not', async () => {
    const email = await send();
    const body = JSON.stringify([bounce(email)]);
    expect(await rig.post(rig.relay('sendgrid'), body, 27 * 3_600)).toMatchObject({ status: 401 });
    expect(await rig.post(rig.relay('sendgrid'), body, 20 * 3_600)).toMatchObject({ status: 200 });
    await rig.processed();
    expect(await rig.read(email)).toMatchObject({ status: 'bounced' });
  });

  test('a complaint about an email whose content was removed counts', async () => {
    const email = await send();
    await rig.ctx.db('email_contents').where({ email_id: email.id }).delete();
    expect(await play(email, event('spamreport', email))).toMatchObject({
      status: 'complained',
      suppressed: [`${JANE} complaint`],
    });
  });

  test('after an erasure, no event brings the address back', async () => {
    const email = await send();
    await rig.ctx.db('email_recipients').where({ email_id: email.id }).update({ address: 'erased-1@erased.invalid' });
    const state = await play(email, bounce(email), event('spamreport', email), event('unsubscribe', email));
    expect(state).toMatchObject({ status: 'sent', suppressed: [] });
    const stored = await rig.ctx.db('feedback_reports').where({ email_id: email.id });
    expect(stored.map(({ raw }) => raw)).toEqual([null, null, null]);
  });
});

describe('an event that comes before our own record', () => {
  test('waits for it, and is then applied once', async () => {
    const tenant = await rig.otherTenant();
    const relay = rig.relay('sendgrid');
    const id = await rig.accept([JANE], tenant);
    const early = event('delivered', null, 6, { sg_message_id: 'early-1.recvd' });
    expect(await rig.post(relay, JSON.stringify([early]))).toMatchObject({ status: 200 });
    await rig.processed();
    expect(await rig.ctx.db('feedback_reports').where({ relay_id: relay.id }).whereNotNull('due_at')).toHaveLength(1);
    const taken = { position: 0, address: JANE, status: 'sent', smtpCode: 250, smtpResponse: '250 Ok' } as const;
    await rig.record(id, { recipientResults: [{ ...taken, relayId: relay.id, providerId: 'early-1' }] });
    await rig.ctx
      .db('feedback_reports')
      .where({ relay_id: relay.id })
      .whereNotNull('due_at')
      .update({ due_at: new Date() });
    await until(async () => (await rig.read({ id, tenant })).status === 'delivered');
    expect(typesIn((await rig.read({ id, tenant })).events)).toEqual(['sent', 'delivered']);
  });

  test('is forgotten after an hour, and never grows the memory', async () => {
    const relay = rig.relay('sendgrid');
    const unknown = bounce(null, 10, { sg_message_id: 'never-ours.recvd' });
    await rig.post(relay, JSON.stringify([unknown]));
    await rig.processed();
    const waiting = () => rig.ctx.db('feedback_reports').where({ relay_id: relay.id }).whereNotNull('due_at');
    await waiting().update({ due_at: new Date(), received_at: new Date(Date.now() - 3_600_001) });
    await until(async () => (await waiting()).length === 0);
    expect(await rig.ctx.db('feedback_reports').whereRaw("convert_from(raw, 'UTF8') like '%never-ours%'")).toEqual([]);
    expect(await rig.inbound.registry.metrics()).toContain('result="unknown_email"');
  });

  test('is dropped at once if five thousand wait already, unless it names an email of ours', async () => {
    const relay = await rig.addRelay('sendgrid');
    await rig.ctx.db.raw(
      `insert into feedback_reports (id, turn_id, relay_id, raw, size, digest, due_at, tries, kind)
       select gen_random_uuid(), :id, :id, '{}', 2, sha256(convert_to(number::text, 'UTF8')), now() + interval '1 day', 2,
         'provider_event'
       from generate_series(1, cast(:max as int)) as number`,
      { id: relay.id, max: limits.earlyEvents.max },
    );
    const tenant = await rig.otherTenant();
    const id = await rig.accept([JANE], tenant);
    const named = event('delivered', { key: buildFeedbackKey({ emailId: id, position: 0 }) });
    await rig.post(relay, JSON.stringify([named, bounce(null, 10, { sg_message_id: 'unknown.recvd' })]));
    await rig.processed();
    const waiting = await rig.ctx.db('feedback_reports').where({ relay_id: relay.id }).where('tries', 1);
    expect(waiting.map(({ email_id: emailId }) => emailId)).toEqual([id]);
    await rig.ctx.db('feedback_reports').where({ relay_id: relay.id }).delete();
    await rig.record(id, {});
  });

  test.each([
    ['delivered', 'delivered', 0],
    ['bounce', 'bounced', 1],
    ['deferred', 'sent', 0],
  ])('settles an attempt of unknown end: %s', async (kind, status, suppressions) => {
    const relay = rig.relay('sendgrid');
    const email = await rig.send({
      relay,
      ended: {
        status: 'deferred',
        outcome: 'ambiguous',
        retryInSeconds: 600,
        charged: true,
        recipientResults: [],
        staysWith: { 0: relay.id },
      },
    });
    const said = kind === 'bounce' ? bounce(email) : event(kind, email, 6, { response: '451 later' });
    const state = await play(email, said);
    expect(state.status).toBe(status);
    expect(state.suppressed).toHaveLength(suppressions);
    expect(await rig.ctx.db('deliveries').where({ email_id: email.id })).toEqual([]);
  });
});

describe('two relays and two workspaces', () => {
  test('an event counts only for mail that went by its relay', async () => {
    const email = await send();
    const other = await rig.addRelay('sendgrid');
    const both = [bounce(email), bounce(null, 10, { sg_message_id: `${email.providerId}.recvd` })];
    expect(await rig.post(other, JSON.stringify(both))).toMatchObject({ status: 200 });
    await rig.processed();
    expect(await rig.read(email)).toMatchObject({ status: 'sent', suppressed: [] });
  });

  test('an event about the mail of one workspace does nothing in another that mails the same address', async () => {
    const [one, other] = [await send(), await send()];
    expect(await play(one, bounce(one))).toMatchObject({ status: 'bounced' });
    expect(await rig.read(other)).toMatchObject({ status: 'sent', suppressed: [] });
  });

  test('names are compared without display names, quotes and case', async () => {
    const email = await rig.send({ relay: rig.relay('sendgrid'), to: ['"Jane.Doe"@inbox.example'] });
    const named = bounce(email, 10, { email: 'Jane <JANE.DOE@Inbox.example>' });
    expect(await play(email, named)).toMatchObject({ status: 'bounced' });
  });

  test('an address that is no recipient of the email counts for nobody', async () => {
    const email = await send();
    const state = await play(email, bounce(email, 10, { email: 'other@inbox.example' }));
    expect(state).toMatchObject({ status: 'sent', suppressed: [] });
  });

  test('an event without an address counts for the recipient that its key names', async () => {
    const email = await send();
    expect(await play(email, bounce(email, 10, { email: undefined }))).toMatchObject({ status: 'bounced' });
  });

  test('who leaves at the provider leaves the topic of the email', async () => {
    const email = await rig.send({ relay: rig.relay('sendgrid'), topic: 'news' });
    const state = await play(email, event('group_unsubscribe', email), event('unsubscribe', email));
    expect(state).toMatchObject({ status: 'sent', suppressed: [`${JANE} unsubscribe news`] });
    expect(typesIn(state.events)).toEqual(['sent', 'unsubscribed']);
  });

  test('what the provider did not try says where to lift it', async () => {
    const email = await send();
    const state = await play(email, event('dropped', email, 1, { reason: 'Bounced Address' }));
    const { body } = await rig.api.get(`/api/v1/emails/${email.id}`).set(email.tenant.auth);
    expect(state.status).toBe('failed');
    expect(body.explanation).toMatch(/^Not sent: .*list "Bounces" of SendGrid.*under Suppressions, Bounces/);
  });

  test('the events of a removed relay are taken for 30 days more', async () => {
    const relay = await rig.addRelay('sendgrid');
    const email = await rig.send({ relay });
    await removeRelay(rig.ctx, operator, relay.name);
    expect(await rig.post(relay, JSON.stringify([bounce(email)]))).toMatchObject({ status: 200 });
    await rig.processed();
    expect(await rig.read(email)).toMatchObject({ status: 'bounced' });
    const removedAt = new Date(Date.now() - 31 * 86_400_000);
    await rig.ctx.db('relays').where({ id: relay.id }).update({ removed_at: removedAt });
    expect(await rig.post(relay, '[]')).toMatchObject({ status: 404 });
  });

  test('a replaced secret is good for a day more', async () => {
    const relay = await rig.addRelay('postmark');
    await updateRelay(rig.ctx, operator, relay.name, { feedbackSecret: 'new:login' });
    expect(await rig.post(relay, '{}')).toMatchObject({ status: 200 });
    await rig.ctx
      .db('relay_secrets')
      .where({ relay_id: relay.id })
      .whereNotNull('expires_at')
      .update({ expires_at: new Date() });
    expect(await rig.post(relay, '{}')).toMatchObject({ status: 401 });
  });
});

test('ten thousand events of one body are all applied', async () => {
  const relay = rig.relay('sendgrid');
  const email = await send();
  const strangers = Array.from({ length: 9_998 }, (_, index) =>
    event('delivered', null, 1, {
      email: `stranger-${index}@elsewhere.example`,
      'smtp-id': `<${index}@elsewhere.example>`,
    }),
  );
  const body = JSON.stringify([event('delivered', email), ...strangers, bounce(email)]);
  expect(await rig.post(relay, body)).toMatchObject({ status: 200 });
  await rig.processed();
  expect(await rig.read(email)).toMatchObject({ status: 'bounced' });
  expect(await rig.ctx.db('feedback_reports').where({ relay_id: relay.id }).whereNotNull('due_at')).toEqual([]);
});
