import { type Db, inSnapshot } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import {
  attemptColumns,
  type DeliveryAttempt,
  type EventRow,
  listEventColumns,
  RUNNING_OF_EMAILS,
  toEvent,
} from './email-history-store.js';
import {
  type ContentRow,
  contentColumns,
  type DetailRow,
  detailColumns,
  type EmailDetail,
  type RecipientState,
  recipientColumns,
  selectSummaries,
  toContent,
  toDetail,
} from './email-store.js';

/** Larger emails are read one by one, because a batch would keep the event loop busy and take a lot of memory. */
const MAX_CONTENT_BYTES = 64_000;
/** An email may have thousands of attempts, so only emails with fewer than a page are read in a batch. */
const MAX_ATTEMPTS = 100;

/**
 * Reads several emails in one snapshot, each as `findEmail` does with its content, but with all attempts and events. It
 * leaves out emails that are large, that have attachments or a long history, or that do not exist.
 * @returns the emails by id
 */
export function findSmallEmails(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EmailDetail>> {
  const read = async (trx: Knex.Transaction) => {
    const contents = byEmail<ContentRow>(await readContents(trx, ids));
    const large = new Set(await listLarge(trx, ids));
    const small = ids.filter((id) => !large.has(id));
    const details: DetailRow[] = await selectSummaries(trx)
      .select(detailColumns)
      .whereRaw('emails.workspace_id = ? and emails.id = any(?::uuid[])', [workspaceId, small]);
    const recipients = byEmail<RecipientState>(
      await ofEmails(trx('email_recipients').select(recipientColumns), 'email_id', small).orderBy('position'),
    );
    const ended = ofEmails(trx('delivery_attempts').select(attemptColumns), 'email_id', small);
    const running = trx.raw(RUNNING_OF_EMAILS, [small]);
    const attempts = byEmail<DeliveryAttempt>([...(await ended.orderBy('attempt')), ...(await running).rows]);
    const events = byEmail<EventRow>(
      await ofEmails(trx('events').select(listEventColumns(trx)), 'stream_id', small).orderBy('sequence'),
    );
    return new Map(
      details.map((row) => [
        row.id,
        {
          ...toDetail(row),
          ...toContent(contents.get(row.id)?.[0], []),
          recipients: recipients.get(row.id) ?? [],
          attempts: attempts.get(row.id) ?? [],
          attemptsNextCursor: null,
          events: (events.get(row.id) ?? []).map(toEvent),
          eventsNextCursor: null,
        },
      ]),
    );
  };
  return inSnapshot(db, read);
}

/** The array makes Postgres look up each email. */
function ofEmails(query: Knex.QueryBuilder, column: string, ids: readonly string[]): Knex.QueryBuilder {
  return query.select({ of_email: column }).whereRaw('?? = any(?::uuid[])', [column, [...ids]]);
}

function readContents(trx: Knex, ids: readonly string[]) {
  const query = trx('email_contents').select('html', 'text', ...contentColumns);
  return ofEmails(query, 'email_id', ids).whereRaw(`${SIZE} <= ${MAX_CONTENT_BYTES}`);
}

const SIZE = 'coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0)';

async function listLarge(trx: Knex, ids: readonly string[]): Promise<string[]> {
  const { rows } = await trx.raw(
    `select email_id as id from email_contents where email_id = any(:ids::uuid[]) and ${SIZE} > ${MAX_CONTENT_BYTES}
     union select email_id from email_attachments where email_id = any(:ids::uuid[])
     union select email_id from delivery_attempts where email_id = any(:ids::uuid[])
       group by email_id having count(*) > ${MAX_ATTEMPTS}`,
    { ids: [...ids] },
  );
  return rows.map(({ id }: { id: string }) => id);
}

function byEmail<Row>(rows: ReadonlyArray<Row & { of_email: string }>): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const { of_email: id, ...row } of rows) {
    const group = groups.get(id);
    if (group) group.push(row as Row);
    else groups.set(id, [row as Row]);
  }
  return groups;
}
