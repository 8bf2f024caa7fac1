import { randomBytes } from 'node:crypto';
import { acceptEmails, openAcceptContext } from '@posthorn/domain/accepting';
import { type Caller, toSendCaller } from '@posthorn/domain/accounts';
import { authenticateKey, createKeyCache } from '@posthorn/domain/api-keys';
import { toAttachmentContent } from '@posthorn/domain/attachments';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext, untilWaiting } from '@posthorn/testing';

/** Tables whose rows are deleted with the email. */
const PARTS = [
  ...['deliveries', 'email_contents', 'email_attachments', 'email_recipients', 'email_tags'],
  ...['delivery_attempts', 'counted_mail'],
];
const PARTS_AND_EVENTS = [...PARTS, 'events'];
/**
 * Tables that mention an email but keep their rows without it: the work list of an erasure, and what reports led to.
 * A suppression stays until it is removed, the other two are deleted by age.
 */
const KEPT = ['erasure_emails', 'bounces', 'feedback_reports', 'suppressions'];

let ctx: Context;
let workspaceId: string;

beforeEach(async () => {
  ctx = await openTestContext();
  const { key, ...created } = await createTestWorkspace(ctx);
  workspaceId = created.workspaceId;
  const acceptCtx = openAcceptContext(ctx);
  const caller = (await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key)) as Caller;
  const address = (text: string) => ({ name: null, address: text });
  const request = {
    to: [address('jane@example.com')],
    cc: [],
    bcc: [],
    replyTo: [],
    from: null,
    domainId: null,
    content: { kind: 'raw', subject: 'Hi', html: null, text: 'Hi' },
    headers: {},
    tags: [{ name: 'kind', value: 'code' }],
    attachments: [
      {
        filename: 'a.pdf',
        contentType: 'application/pdf',
        contentId: null,
        content: toAttachmentContent(randomBytes(10)),
      },
    ],
    scheduledAt: null,
  } as const;
  const idempotencyKey = { keyHash: 'a'.repeat(64), fingerprint: 'b'.repeat(64) };
  await acceptEmails(acceptCtx, {
    caller: toSendCaller(caller),
    requests: [request],
    idempotencyKey,
    toResponse: () => 'accepted',
  });
  await ctx.db.raw(
    `insert into delivery_attempts (email_id, workspace_id, attempt, started_at)
     select id, workspace_id, 1, now() from emails where workspace_id = ?`,
    [workspaceId],
  );
  await ctx.db.raw(
    `insert into counted_mail (email_id, workspace_id, bytes, kept_until)
     select id, workspace_id, 1, now() from emails where workspace_id = ?`,
    [workspaceId],
  );
  await acceptCtx.close();
});

afterEach(() => closeTestContext(ctx));

/** The rows of the workspace. */
const readRows = (table: string) => ctx.db(table).where({ workspace_id: workspaceId });

async function countParts(): Promise<number[]> {
  const counts = await Promise.all(PARTS_AND_EVENTS.map((part) => readRows(part).count()));
  return counts.map(([row]) => Number(row?.count));
}

test('these tests cover every table with an email_id column', async () => {
  const { rows } = await ctx.db.raw(
    "select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid where attname = 'email_id' and relkind in ('r', 'p') and not relispartition",
  );
  expect(rows.map(({ name }: { name: string }) => name).sort()).toEqual([...PARTS, ...KEPT].sort());
});

test('deleting an email deletes its rows in all other tables', async () => {
  expect(await countParts()).toEqual(PARTS_AND_EVENTS.map(() => 1));
  await readRows('emails').delete();
  expect(await countParts()).toEqual(PARTS_AND_EVENTS.map(() => 0));
});

test('deleting a workspace deletes its emails and idempotency keys', async () => {
  await ctx.db('workspaces').where({ id: workspaceId }).delete();
  expect(await countParts()).toEqual(PARTS_AND_EVENTS.map(() => 0));
  expect(await readRows('emails')).toHaveLength(0);
  expect(await readRows('idempotency_keys')).toHaveLength(0);
  expect(await readRows('blobs')).toHaveLength(0);
});

test('deleting a workspace also deletes emails that are being stored at that moment', async () => {
  const storing = await ctx.db.transaction();
  await storing('usage').where({ workspace_id: workspaceId }).increment('used', 1);
  await storing.raw(
    `insert into emails select copy.* from emails,
       jsonb_populate_record(null::emails, to_jsonb(emails) || jsonb_build_object('id', gen_random_uuid())) as copy
     where emails.workspace_id = ?`,
    [workspaceId],
  );
  const deleting = ctx
    .db('workspaces')
    .where({ id: workspaceId })
    .delete()
    .then(() => 'deleted');
  await untilWaiting(ctx.db, 'Lock');
  await storing.commit();
  expect(await deleting).toBe('deleted');
  expect(await readRows('emails')).toHaveLength(0);
});
