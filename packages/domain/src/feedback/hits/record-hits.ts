import { lockEmails } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { decideHitEvents } from './decide-hit-events.js';
import type { Hit } from './hit.js';
import { insertHitEvents, readHitHistory } from './hits-store.js';

/**
 * Writes opens and clicks to the event log, in one transaction. The rows of the emails are locked in the order that
 * workers and reports use, so the events of each email stay in one gapless sequence. No status changes.
 * @returns whether anything was written
 */
export async function recordHits({ db }: Pick<Context, 'db'>, hits: readonly Hit[]): Promise<boolean> {
  return db.transaction(async (trx) => {
    const ids = [...new Set(hits.map(({ emailId }) => emailId))].toSorted();
    const emails = await lockEmails(trx, ids);
    const history = await readHitHistory(trx, ids);
    const events = emails.flatMap((email) => {
      const own = hits.filter(({ emailId }) => emailId === email.id);
      return decideHitEvents(email, own, history.get(email.id) ?? { sentAt: null, hits: [] });
    });
    if (events.length > 0) await insertHitEvents(trx, events);
    return events.length > 0;
  });
}
