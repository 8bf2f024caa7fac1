import type { Knex } from 'knex';

/** The status of an email. While a worker holds the email, only the queue entry shows that it is being sent. */
const STATUS = "case when deliveries.lease_until is null then emails.status else 'sending' end";

/** Selects the columns of `SummaryRow`. */
export function selectSummaries(db: Knex): Knex.QueryBuilder {
  return db('emails')
    .leftJoin('deliveries', 'deliveries.email_id', 'emails.id')
    .select(COLUMNS)
    .select(db.raw(`${STATUS} as status`));
}

const COLUMNS = ['id', 'from_', 'to', 'subject', 'template_id', 'tags', 'created_at', 'scheduled_at'].map(
  (column) => `emails.${column}`,
);
