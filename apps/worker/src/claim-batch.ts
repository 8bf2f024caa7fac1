import { type ClaimedEmail, type Context, claimEmails, grouped } from '@posthorn/domain';

const MAX_EMAILS_PER_STATEMENT = 50;

/** Claims one queued email; null when it is no longer queued or another worker holds it. */
export type ClaimEmail = (id: string) => Promise<ClaimedEmail | null>;

/** Claims that delivery jobs ask for at the same time share one statement. */
export function openClaimBatch(ctx: Pick<Context, 'config' | 'db'>): ClaimEmail {
  return grouped((ids: string[]) => claimTogether(ctx, ids), { max: MAX_EMAILS_PER_STATEMENT, inFlight: 2 });
}

async function claimTogether(
  { db, config }: Pick<Context, 'config' | 'db'>,
  ids: string[],
): Promise<Array<ClaimedEmail | null>> {
  const claimed = await claimEmails(db, ids, config.leaseSeconds);
  const byId = new Map(claimed.map((email) => [email.id, email]));
  // If one group has the same id twice, only the first gets the email.
  return ids.map((id) => {
    const email = byId.get(id) ?? null;
    byId.delete(id);
    return email;
  });
}
