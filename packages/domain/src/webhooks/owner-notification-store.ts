import type { Knex } from 'knex';
import type { DisabledBecause, Webhook } from './webhook.js';

/** A mail that the owners of a disabled webhook must get. */
export type OwnersMail = {
  readonly id: string;
  readonly webhook: Pick<Webhook, 'id' | 'workspaceId' | 'url'>;
  readonly because: DisabledBecause;
};

export async function listOwnersMails(db: Knex): Promise<OwnersMail[]> {
  const rows = await db('webhooks')
    .select({ mailId: 'owners_mail_id', because: 'disabled_because' })
    .select('id', { workspaceId: 'workspace_id' }, 'url')
    .whereNotNull('owners_mail_id')
    .orderBy('id');
  return rows.map(({ mailId, because, ...webhook }) => ({ id: mailId, because, webhook }));
}

/** Notes that the mail is accepted. If the webhook was disabled again in the meantime, there is another mail to send. */
export async function clearOwnersMail(db: Knex, { id, webhook }: OwnersMail): Promise<void> {
  await db('webhooks').where({ id: webhook.id, owners_mail_id: id }).update({ owners_mail_id: null });
}
