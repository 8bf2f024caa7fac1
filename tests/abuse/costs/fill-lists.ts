import { operator } from '@posthorn/domain/audit-log';
import { createDomain } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';

/** How many entries the lists get. `MANY` is for keys, attempts and events, whose number is not limited. */
const DOMAINS = 100;
const PAGE = 100;
const MANY = 30_000;

type Target = {
  readonly workspaceId: string;
  readonly emailIds: readonly string[];
  readonly templateIds: readonly string[];
};

/** Fills every list of a workspace with entries that are as large as allowed. */
export async function fillLists(ctx: Context, { workspaceId, emailIds, templateIds }: Target): Promise<void> {
  const { db } = ctx;
  await db('emails')
    .where({ workspace_id: workspaceId })
    .update({
      subject: 's'.repeat(998),
      to: Array(50).fill(`"${'n'.repeat(60)}" <${'a'.repeat(60)}@${'d'.repeat(180)}.example>`),
      tags: Array.from({ length: 75 }, (_, index) => `${`t${index}`.padEnd(256, 'x')}:${'v'.repeat(256)}`),
    });
  await copyRows(ctx, 'emails', { id: emailIds.at(-1) as string, copies: PAGE });
  for (const id of emailIds) {
    // Many attempts with short conversations, then some with the largest conversation that a worker stores.
    await addAttempts(ctx, { workspaceId, id, first: 1, count: MANY, lines: 3 });
    await addAttempts(ctx, { workspaceId, id, first: MANY + 1, count: PAGE, lines: 200 });
    await db.raw(
      `insert into events (id, stream_id, sequence, workspace_id, type, recipient, detail, created_at)
       select gen_random_uuid(), ?, n + 1, ?, 'email.deferred', repeat('r', 254), repeat('d', 1000), now()
       from generate_series(1, ?::int) as n`,
      [id, workspaceId, MANY],
    );
    await db('deliveries')
      .where({ email_id: id })
      .update({ last_sequence: MANY + 1 });
  }
  await db('template_versions')
    .whereIn('template_id', templateIds)
    .update({ version: PAGE + 1, variables: Array.from({ length: 100 }, (_, index) => `v${index}`.padEnd(100, 'x')) });
  await db('templates')
    .whereIn('id', templateIds)
    .update({ version: PAGE + 1 });
  // Old enough for updates to drop them.
  await db.raw(
    `insert into template_versions (workspace_id, template_id, version, subject, html_body, text_body, variables, created_at)
     select workspace_id, template_id, n, repeat('s', 998), 'h', 't', variables, created_at - interval '1 day'
     from template_versions, generate_series(1, ?::int) as n where template_id = any(?)`,
    [PAGE, [...templateIds]],
  );
  const { id: keyId } = await db('api_keys').where({ workspace_id: workspaceId }).first('id');
  await copyRows(ctx, 'api_keys', { id: keyId, copies: MANY });
  const found = Array(10).fill('x'.repeat(500));
  for (let index = 0; index < DOMAINS; index += 1)
    await createDomain(
      ctx,
      operator,
      workspaceId,
      `${String(index).padStart(3, '0')}${'d'.repeat(50)}.${'e'.repeat(60)}.example`,
    );
  const finding = { status: 'wrong', found, message: 'm'.repeat(500), failure: null };
  const records = ['ownership', 'dkim', 'mx', 'spf', 'dmarc', 'bounces'];
  await db('sending_domains')
    .where({ workspace_id: workspaceId })
    .update({ findings: JSON.stringify(Object.fromEntries(records.map((record) => [record, finding]))) });
}

type Attempts = {
  readonly workspaceId: string;
  readonly id: string;
  readonly first: number;
  readonly count: number;
  readonly lines: number;
};

async function addAttempts({ db }: Context, { workspaceId, id, first, count, lines }: Attempts): Promise<void> {
  await db.raw(
    `insert into delivery_attempts (email_id, workspace_id, attempt, outcome, phase, conversation, started_at, ended_at)
     select :id, :workspaceId, n, 'deferred', 'reply', array_fill('S: '::text || repeat('x', 990), array[:lines::int]),
       now(), now()
     from generate_series(:first::int, :first::int + :count::int - 1) as n`,
    { id, workspaceId, first, count, lines },
  );
}

/** Adds copies of a row, each with a new id. */
async function copyRows(
  { db }: Context,
  table: 'emails' | 'api_keys',
  { id, copies }: { id: string; copies: number },
): Promise<void> {
  const columns = Object.keys(await db(table).columnInfo())
    .filter((column) => column !== 'id')
    .map((column) => `"${column}"`)
    .join(', ');
  // The first half of the id contains the time, which determines the partition of the row.
  await db.raw(
    `insert into ${table} (id, ${columns})
     select (left(id::text, 19) || right(gen_random_uuid()::text, 17))::uuid, ${columns}
     from ${table}, generate_series(1, :copies::int) where id = :id`,
    { id, copies },
  );
}
