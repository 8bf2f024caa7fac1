import { operator } from '@posthorn/domain/audit-log';
import { createDomain, describeDomains, markDomainVerified, updateDomain } from '@posthorn/domain/domains';
import { findWorkspaceOfEmail } from '@posthorn/domain/emails';
import { type LoggedEvent, readEventLog } from '@posthorn/domain/events';
import { parseAddress } from '@posthorn/domain/format';
import { type SmtpSinkOptions, until } from '@posthorn/testing';
import { type EmailOptions, openTestWorker, type TestWorker } from '../../apps/worker/test/open-test-worker.js';

/** Where links and images lead. Nothing listens there; tests replace it with the address of their listener. */
export const TRACKING_URL = 'https://links.example';

export type TrackingWorker = TestWorker & {
  readonly domainId: string;
  /** Sends an email from the tracked domain. @returns its id, and the html that arrived */
  send(html: string, options?: EmailOptions): Promise<{ id: string; html: string }>;
  /** The opens and clicks of the email, once there are `count`. */
  hits(id: string, count: number): Promise<LoggedEvent[]>;
  /** Moves everything that happened to the email into the past. */
  age(id: string, seconds: number): Promise<void>;
};

/** A worker, and a verified domain that tracks opens and clicks. */
export async function openTrackingWorker({ sink = {} }: { sink?: SmtpSinkOptions } = {}): Promise<TrackingWorker> {
  const t = await openTestWorker({ config: { trackingUrl: TRACKING_URL }, sink });
  const domain = await createDomain(t.ctx, operator, t.workspaceId, 'shop.example');
  await markDomainVerified(t.ctx, domain.id);
  // Creates the signing key.
  await describeDomains(t.ctx, [domain]);
  await updateDomain(t.ctx, operator, domain, { trackOpens: true, trackClicks: true });
  const from = parseAddress('Shop <hello@shop.example>');
  return {
    ...t,
    domainId: domain.id,
    async send(html, options = {}) {
      const before = t.sink.messages.length;
      const id = await t.accept({ from, content: { kind: 'raw', subject: 'Hello', html, text: 'Hi' }, ...options });
      await t.until(id, 'sent');
      const messages = await t.sink.waitFor(before + 1);
      return { id, html: messages[before]?.parsed.html ?? '' };
    },
    async hits(id, count) {
      let found: LoggedEvent[] = [];
      await until(async () => {
        found = await listHits(t, id);
        return found.length >= count;
      });
      return found;
    },
    async age(id, seconds) {
      await t.ctx.db.raw(`update events set created_at = created_at - ? * interval '1 second' where stream_id = ?`, [
        seconds,
        id,
      ]);
    },
  };
}

async function listHits({ ctx }: TestWorker, id: string): Promise<LoggedEvent[]> {
  const workspace = await findWorkspaceOfEmail(ctx.db, id);
  if (!workspace) throw new Error(`There is no email ${id}`);
  const query = { after: null, limit: 1_000, type: null, emailId: id };
  const { events } = await readEventLog(ctx.db, workspace, query);
  return events.filter(({ type }) => type === 'email.opened' || type === 'email.clicked');
}

/** The paths of the image and of the links in a tracked html, in its order. */
export function pathsIn(html: string): { image: string; links: string[] } {
  const paths = (kind: string) =>
    [...html.matchAll(new RegExp(`"${TRACKING_URL}(/${kind}/[^"]+)"`, 'g'))].map(([, path]) => path ?? '');
  return { image: paths('o')[0] ?? '', links: paths('c') };
}
