import { randomBytes } from 'node:crypto';
import { toAttachmentContent } from '@posthorn/domain/attachments';
import {
  selectDueEmails,
  selectExpiredEmails,
  writeHandoffIntent,
  writeHandoffMarker,
} from '@posthorn/domain/delivery';
import type { EmailDetail } from '@posthorn/domain/emails';
import type { SmtpReply } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

const LARGE = 2_500_000;
const LEASE_SECONDS = 60;

let t: TestWorker;
let reply: (command: string) => SmtpReply | undefined;

beforeEach(async () => {
  reply = () => undefined;
  t = await openTestWorker({ started: false, sink: { reply: (command) => reply(command) } });
});

afterEach(() => t.close());

function acceptWithFile(bytes: number): Promise<string> {
  const content = toAttachmentContent(randomBytes(bytes));
  const attachment = { filename: 'report.pdf', contentType: 'application/pdf', contentId: null, content };
  return t.accept({ attachments: [attachment] });
}

const setDelivery = (id: string, changes: object) => t.ctx.db('deliveries').where({ email_id: id }).update(changes);

/** Leaves an email as if a worker had claimed it and stopped before the handoff, or during it. */
async function claimAndStop(id: string, { during = false } = {}): Promise<void> {
  const due = await selectDueEmails(t.ctx.db, { limit: 1, holders: [], onlyOthers: false }, LEASE_SECONDS).claimMany();
  const [email] = [...due, ...(await selectExpiredEmails(t.ctx.db, { limit: 1, held: [] }, LEASE_SECONDS).claimMany())];
  if (email?.id !== id) throw new Error('The email could not be claimed');
  if (during) expect(await writeHandoffIntent(t.ctx.db, email, LEASE_SECONDS)).toBe(true);
  await setDelivery(id, { lease_until: new Date(0) });
}

const listOutcomes = ({ attempts }: EmailDetail) => attempts.map(({ outcome }) => outcome);
const listEventTypes = ({ events }: EmailDetail) => events.map(({ type }) => type);

/** Runs `statement` once while the file is being sent: when its last part is read for the second time. */
async function whileSending(statement: string): Promise<void> {
  await t.ctx.db.raw(`
    alter table blob_parts rename to all_parts;
    create sequence reads;
    create function read_part(part smallint, lines text) returns text language plpgsql volatile as $$
    begin
      if part = 2 and nextval('reads') = 2 then ${statement}; end if;
      return lines;
    end $$;
    create view blob_parts as select workspace_id, sha256, part, read_part(part, lines) as lines from all_parts`);
}

describe('an email with a large attachment whose worker stopped', () => {
  test('before the handoff is sent, however often that happens, and no attempt is ambiguous', async () => {
    const id = await acceptWithFile(LARGE);
    for (let stops = 1; stops <= 7; stops += 1) await claimAndStop(id);
    t.start();
    const email = await t.until(id, 'sent');
    expect(listOutcomes(email)).toEqual([...Array(7).fill('deferred'), 'sent']);
    expect(email.attempts[0]?.conversation).toEqual(['-- The worker stopped before it had sent the whole message']);
    expect(listEventTypes(email)).not.toContain('ambiguous');
    expect(t.sink.messages).toHaveLength(1);
  });

  test('before the handoff is sent even with AMBIGUOUS_POLICY=hold', async () => {
    const id = await acceptWithFile(LARGE);
    await claimAndStop(id);
    t.start({ ambiguousPolicy: 'hold' });
    await t.until(id, 'sent');
    expect(t.sink.messages).toHaveLength(1);
  });

  test('before the handoff fails if that happens too often', async () => {
    const id = await acceptWithFile(LARGE);
    for (let stops = 1; stops <= 21; stops += 1) await claimAndStop(id);
    t.start();
    const { recipients } = await t.until(id, 'failed');
    expect(recipients[0]?.smtpResponse).toBe(
      'Gave up: too many workers stopped before they had sent the whole message',
    );
    expect(t.sink.messages).toHaveLength(0);
  });

  test('during the handoff is ambiguous', async () => {
    const id = await acceptWithFile(LARGE);
    await claimAndStop(id, { during: true });
    await claimAndStop(id);
    t.start();
    const email = await t.until(id, 'sent');
    expect(listOutcomes(email)).toEqual(['ambiguous', 'deferred', 'sent']);
    expect(listEventTypes(email)).toContain('ambiguous');
  });

  test('during the handoff fails with AMBIGUOUS_POLICY=hold, even if a later worker stopped before it', async () => {
    const id = await acceptWithFile(LARGE);
    await claimAndStop(id, { during: true });
    await claimAndStop(id);
    t.start({ ambiguousPolicy: 'hold' });
    await t.until(id, 'failed');
    expect(t.sink.messages).toHaveLength(0);
  });

  test('after the handoff is not sent again, even if a later worker stopped before its own', async () => {
    const id = await acceptWithFile(LARGE);
    await claimAndStop(id, { during: true });
    const result = { position: 0, address: 'jane@example.com', status: 'sent', smtpCode: 250, smtpResponse: '250 OK' };
    await writeHandoffMarker(t.ctx, { id, attempt: 1, recipientResults: [result as never] }, LEASE_SECONDS);
    await claimAndStop(id);
    t.start();
    const email = await t.until(id, 'sent');
    expect(listEventTypes(email)).toContain('recovered');
    expect(t.sink.messages).toHaveLength(0);
  });

  test('before the handoff is not ambiguous because of an earlier attempt, whose result is known', async () => {
    let replies = 0;
    reply = (command) => {
      if (command !== 'DATA') return undefined;
      replies += 1;
      return replies === 1 ? { code: 451, text: '4.3.0 Busy' } : undefined;
    };
    const id = await acceptWithFile(LARGE);
    t.start();
    await t.until(id, 'deferred');
    await t.stopAll();
    await setDelivery(id, { is_due: true, due_at: new Date(0) });
    await claimAndStop(id);
    t.start({ ambiguousPolicy: 'hold' });
    const email = await t.until(id, 'sent');
    expect(listOutcomes(email)).toEqual(['deferred', 'deferred', 'sent']);
    expect(t.sink.messages).toHaveLength(1);
  });
});

test('an email with a small attachment whose worker stopped is ambiguous', async () => {
  const id = await acceptWithFile(10_000);
  await claimAndStop(id);
  t.start();
  expect(listOutcomes(await t.until(id, 'sent'))).toEqual(['ambiguous', 'sent']);
});

describe('the end of a large message', () => {
  test('is not sent if another worker has claimed the email in the meantime', async () => {
    const id = await acceptWithFile(LARGE);
    await whileSending('update deliveries set attempt = attempt + 1, lease_until = now()');
    t.startWithoutMemory();
    const email = await t.until(id, 'sent');
    expect(email.attempts.map(({ attempt, outcome }) => ({ attempt, outcome }))).toEqual([
      { attempt: 2, outcome: 'deferred' },
      { attempt: 3, outcome: 'sent' },
    ]);
    expect(t.sink.messages).toHaveLength(1);
  });

  test('is not sent until the handoff intent is in Postgres', async () => {
    await t.ctx.db.raw(`
      create sequence intents;
      create function refuse_first_intent() returns trigger language plpgsql as $$
      begin
        if nextval('intents') = 1 then raise exception 'refused'; end if;
        return new;
      end $$;
      create trigger refuse before update on deliveries for each row
        when (new.attempt = old.attempt and new.needs > old.needs) execute function refuse_first_intent()`);
    const id = await acceptWithFile(LARGE);
    t.start();
    const { attempts } = await t.until(id, 'deferred');
    expect(attempts.at(-1)).toMatchObject({ outcome: 'deferred', phase: 'render' });
    expect(t.sink.messages).toHaveLength(0);
    await t.until(id, 'sent');
    expect(t.sink.messages).toHaveLength(1);
  });
});

test('a worker that has lost its lease cannot write the handoff intent', async () => {
  const id = await acceptWithFile(LARGE);
  const [first] = await selectDueEmails(
    t.ctx.db,
    { limit: 1, holders: [], onlyOthers: false },
    LEASE_SECONDS,
  ).claimMany();
  if (!first) throw new Error('The email could not be claimed');
  await setDelivery(id, { lease_until: new Date(0) });
  const [second] = await selectExpiredEmails(t.ctx.db, { limit: 1, held: [] }, LEASE_SECONDS).claimMany();
  if (!second) throw new Error('The email could not be claimed again');
  expect(await writeHandoffIntent(t.ctx.db, first, LEASE_SECONDS)).toBe(false);
  expect(await writeHandoffIntent(t.ctx.db, second, LEASE_SECONDS)).toBe(true);
});
