import type { Knex } from 'knex';

/**
 * Whether a domain has this tracking host, or had it when it was deleted. The links in emails that were sent still lead
 * to it.
 */
export async function hasTrackingHost(db: Knex, domain: string): Promise<boolean> {
  const row = await db('sending_domains').where({ name: domain, has_tracking_host: true }).first('id');
  return row !== undefined;
}
