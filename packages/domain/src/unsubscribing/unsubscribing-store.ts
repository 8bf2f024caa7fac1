import type { Knex } from 'knex';

/** Whether the link of the email has been used before. */
export async function hasUnsubscribed(trx: Knex, emailId: string): Promise<boolean> {
  const event = await trx('events').select('id').where({ stream_id: emailId, type: 'email.unsubscribed' }).first();
  return event !== undefined;
}

/** The recipient of an email with a topic, as the email names them now. */
export async function findRecipientOf(trx: Knex, emailId: string): Promise<string | null> {
  const recipient = await trx('email_recipients').select('address').where({ email_id: emailId }).first();
  return recipient?.address ?? null;
}

/** An address in lower case, and the hashes that it may have in suppressions after it was erased. */
export type UnsubscribedAddress = {
  readonly workspaceId: string;
  readonly address: string;
  readonly hashes: readonly Buffer[];
};

/** @param topic null for the suppression without a topic */
export async function deleteUnsubscribes(
  db: Knex,
  { workspaceId, address, hashes }: UnsubscribedAddress,
  topic: string | null,
): Promise<void> {
  await db('suppressions')
    .where({ workspace_id: workspaceId, reason: 'unsubscribe', topic: topic ?? '' })
    .where((either) => either.where({ address }).orWhereIn('address_hash', hashes))
    .delete();
}
