import type { SoughtAddress } from '@posthorn/domain/suppressions';
import type { Knex } from 'knex';

/** Whose mail a link is about. */
export type LinkSender = {
  readonly name: string;
  /** The workspace whose suppressions apply. */
  readonly liveId: string;
  /** Nobody gets test mail, so its links change nothing. */
  readonly isTest: boolean;
};

/** @returns null if the workspace no longer exists */
export async function findLinkSender(db: Knex, workspaceId: string): Promise<LinkSender | null> {
  const row = await db('workspaces').select('id', 'name', 'test_of').where({ id: workspaceId }).first();
  return row ? { name: row.name, liveId: row.test_of ?? row.id, isTest: row.test_of !== null } : null;
}

/** Whether the link of the email has been used before. */
export async function hasUnsubscribed(trx: Knex, emailId: string): Promise<boolean> {
  const event = await trx('events').select('id').where({ stream_id: emailId, type: 'email.unsubscribed' }).first();
  return event !== undefined;
}

/** The recipient of an email with a topic, as the email names them now. */
export async function findRecipientAddress(trx: Knex, emailId: string): Promise<string | null> {
  const recipient = await trx('email_recipients').select('address').where({ email_id: emailId }).first();
  return recipient?.address ?? null;
}

/**
 * @param sought one address, as suppressions may have it
 * @param topic null for the suppression without a topic
 */
export async function deleteUnsubscribes(
  db: Knex,
  sought: readonly SoughtAddress[],
  topic: string | null,
): Promise<void> {
  for (const { workspaceId, address, hash } of sought)
    await db('suppressions')
      .where({ workspace_id: workspaceId, reason: 'unsubscribe', topic: topic ?? '' })
      .where((either) => either.where({ address }).orWhere({ address_hash: hash }))
      .delete();
}
