import type { Knex } from 'knex';

/**
 * Erases what receivers answered to the events of these emails. Some receivers repeat the request in their answer, and
 * so the address.
 * @param ids in order
 */
export async function eraseWebhookResponses(trx: Knex, workspaceId: string, ids: readonly string[]): Promise<void> {
  await trx.raw(
    `update webhook_deliveries
     set attempts = (
       select jsonb_agg(attempt || '{"body": ""}' order by n)
       from jsonb_array_elements(attempts) with ordinality as made (attempt, n)
     )
     where webhook_id = any(array(select id from webhooks where workspace_id = :workspaceId))
       and event_id = any(array(select id from events where stream_id = any(:ids::uuid[]) and stream_id >= :first::uuid))
       and attempts <> '[]'`,
    { workspaceId, ids: [...ids], first: ids[0] ?? null },
  );
}
