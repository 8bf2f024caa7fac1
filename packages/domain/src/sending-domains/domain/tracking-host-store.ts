import type { Knex } from 'knex';

/**
 * Whether a domain, or one that was deleted, has this tracking host. The links in emails that were sent lead to it for
 * as long as somebody reads them.
 */
export async function hasTrackingHost(db: Knex, domain: string): Promise<boolean> {
  const row = await db('sending_domains').where({ name: domain, has_tracking_host: true }).first('id');
  return row !== undefined;
}
