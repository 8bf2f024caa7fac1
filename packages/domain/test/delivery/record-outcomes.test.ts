import { acceptEmails, openAcceptContext, type Submission } from '@posthorn/domain/accepting';
import { toSendCaller } from '@posthorn/domain/accounts';
import { authenticateKey, createKeyCache } from '@posthorn/domain/api-keys';
import { type Outcome, recordOutcomes, selectDueEmails } from '@posthorn/domain/delivery';
import { parseAddress } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';

const MAX_SMALLINT = 32_767;

let ctx: Context;
let id: string;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it claims the due emails of all workspaces' });
  const acceptCtx = openAcceptContext(ctx);
  const { key } = await createTestWorkspace(ctx);
  const caller = await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key);
  if (!caller) throw new Error('The test key is unknown');
  const request = {
    to: [parseAddress('jane@example.com')],
    cc: [],
    bcc: [],
    replyTo: [],
    from: null,
    domainId: null,
    content: { kind: 'raw', subject: 'Hello', html: null, text: 'Hi' },
    headers: {},
    tags: [],
    scheduledAt: null,
  } as const;
  const toResponse: Submission['toResponse'] = ([{ id }]) => id;
  const submission = { caller: toSendCaller(caller), requests: [request], idempotencyKey: null, toResponse };
  id = (await acceptEmails(acceptCtx, submission)).body;
  await acceptCtx.close();
});

afterEach(() => closeTestContext(ctx));

/** Claims the email. @returns the attempt number */
async function claim(): Promise<number> {
  const [email] = await selectDueEmails(ctx.db, { limit: 1, holders: [], onlyOthers: false }, 60).claimMany();
  if (!email) throw new Error('The email is not due');
  return email.attempt;
}

/** Claims the email and records how the attempt ended. By default, the email is then due again at once. */
async function attempt(ended: Partial<Outcome>): Promise<void> {
  const outcome: Outcome = {
    id,
    attempt: await claim(),
    status: 'deferred',
    retryInSeconds: 0,
    charged: false,
    recipientResults: [],
    outcome: 'route_fault',
    phase: 'connect',
    route: 'relay.test:25',
    conversation: [],
    event: null,
    ...ended,
  };
  expect(await recordOutcomes(ctx.db, [outcome])).toEqual(new Set([id]));
}

const NO_RELAY = { conversation: ['S: 554 Go away'] };
const NO_TEMPLATE: Partial<Outcome> = { outcome: 'deferred', phase: 'render', route: null };
const REFUSED: Partial<Outcome> = {
  outcome: 'deferred',
  phase: 'envelope',
  charged: true,
  recipientResults: [
    { position: 0, address: 'jane@example.com', status: 'deferred', smtpCode: 451, smtpResponse: '451 Try later' },
  ],
};

const storedAttempts = () =>
  ctx.db('delivery_attempts').select('attempt', 'outcome', 'phase').where({ email_id: id }).orderBy('attempt');

describe('recordOutcomes', () => {
  test('keeps only the last of the attempts that found no usable relay, template or key', async () => {
    for (const ended of [NO_RELAY, NO_RELAY, NO_TEMPLATE, NO_RELAY, NO_TEMPLATE]) await attempt(ended);
    expect(await storedAttempts()).toEqual([{ attempt: 5, outcome: 'deferred', phase: 'render' }]);
    expect(await claim()).toBe(6);
  });

  test('keeps every attempt that reached a relay or is ambiguous', async () => {
    for (const ended of [
      REFUSED,
      NO_RELAY,
      { outcome: 'ambiguous', phase: 'reply', charged: true } as const,
      NO_RELAY,
      REFUSED,
    ])
      await attempt(ended);
    expect((await storedAttempts()).map(({ outcome }) => outcome)).toEqual([
      'deferred',
      'ambiguous',
      'route_fault',
      'deferred',
    ]);
  });

  test('can write an outcome again after a lost reply, even if the first write replaced an earlier attempt', async () => {
    await attempt(NO_RELAY);
    const repeated = { id, status: 'deferred', retryInSeconds: 0, charged: false, recipientResults: [] } as const;
    const rest = { outcome: 'route_fault', phase: 'connect', route: null, conversation: [], event: null } as const;
    const outcome = { ...repeated, ...rest, attempt: await claim() };
    for (let tries = 1; tries <= 2; tries += 1) expect(await recordOutcomes(ctx.db, [outcome])).toEqual(new Set([id]));
    expect(await storedAttempts()).toHaveLength(1);
  });
});

test('an email can still be claimed, and its outcome recorded, after 32,767 claims', async () => {
  await ctx.db('deliveries').where({ email_id: id }).update({ attempt: MAX_SMALLINT });
  await attempt(NO_RELAY);
  await attempt(REFUSED);
  expect((await storedAttempts()).map(({ attempt }) => attempt)).toEqual([MAX_SMALLINT + 1, MAX_SMALLINT + 2]);
});

describe('what a relay with feedback took', () => {
  const RELAY_ID = '0197f000-0000-7000-8000-000000000001';
  const jane = { position: 0, address: 'jane@example.com', smtpCode: 250, smtpResponse: '250 OK' } as const;
  const sent: Partial<Outcome> = { status: 'sent', retryInSeconds: null, outcome: 'sent', phase: 'reply' };
  const readProvider = () => ctx.db('email_recipients').where({ email_id: id }).first('relay_id', 'provider_id');

  test('is kept with the recipient: the relay, and the id of its provider if the reply names one', async () => {
    const result = { ...jane, status: 'sent', relayId: RELAY_ID, providerId: 'abc-1' } as const;
    await attempt({ ...sent, recipientResults: [result] });
    expect(await readProvider()).toEqual({ relay_id: RELAY_ID, provider_id: 'abc-1' });
  });

  test('stays when a later result names no relay', async () => {
    const tried = { ...jane, status: 'deferred', relayId: RELAY_ID, providerId: null } as const;
    await attempt({ outcome: 'ambiguous', phase: 'reply', charged: true, recipientResults: [tried] });
    await attempt({ ...sent, recipientResults: [{ ...jane, status: 'sent' }] });
    expect(await readProvider()).toEqual({ relay_id: RELAY_ID, provider_id: null });
  });

  test('costs other mail nothing: it is not in the index of the ids, and an update of it writes to no index', async () => {
    const countIndexed = async () => {
      const { rows } = await ctx.db.raw(
        `select sum(pg_relation_size(inhrelid))::int as bytes from pg_inherits
         where inhparent = 'email_recipients_provider_id'::regclass`,
      );
      return rows[0].bytes;
    };
    const empty = await countIndexed();
    await attempt({ ...sent, recipientResults: [{ ...jane, status: 'sent' }] });
    expect(await readProvider()).toEqual({ relay_id: null, provider_id: null });
    expect(await countIndexed()).toBe(empty);
    // Postgres counts an update as hot if it wrote to no index.
    const hot = await ctx.db.transaction(async (trx) => {
      await trx('email_recipients').where({ email_id: id }).update({ status: 'delivered', smtp_response: '250 OK' });
      const { rows } = await trx.raw(
        `select sum(n_tup_upd)::int as all, sum(n_tup_hot_upd)::int as hot from pg_stat_xact_user_tables
         where relname like 'email_recipients%'`,
      );
      return rows[0];
    });
    expect(hot.all).toBeGreaterThan(0);
    expect(hot.hot).toBe(hot.all);
  });
});
