import { findUnsubscribeUrl } from '@posthorn/domain/links';
import type { TestApi } from '../open-test-api.js';

type Options = { readonly to?: string; readonly topic?: string; readonly auth?: { readonly Authorization: string } };

/** Accepts an email with a topic. @returns its id, and the path of its link */
export async function acceptWithLink(
  t: TestApi,
  { to = 'Jane@example.com', topic = 'newsletter', auth = t.auth }: Options = {},
): Promise<{ id: string; path: string }> {
  const body = { to: [to], subject: 'News', text: '{{unsubscribe_url}}', unsubscribe: { topic } };
  const { id } = (await t.api.post('/api/v1/emails').set(auth).send(body)).body;
  const { workspace_id: workspaceId } = await t.ctx.db('emails').select('workspace_id').where({ id }).first();
  const url = findUnsubscribeUrl(t.ctx.config, { id, workspaceId, topic, to: [to] });
  return { id, path: new URL(url ?? '').pathname };
}

/** The suppressions of an address in a workspace, without ids and times. */
export async function readSuppressions(
  t: TestApi,
  { id: workspaceId }: { id: string } = t.workspace,
  address = 'jane@example.com',
) {
  return t.ctx
    .db('suppressions')
    .select('workspace_id', 'topic', 'reason', 'email_id', 'detail')
    .where({ workspace_id: workspaceId, address })
    .orderBy('id');
}

/** The types and sequences of an email's events. */
export async function readEvents(t: TestApi, id: string) {
  const events = await t.ctx.db('events').select('sequence', 'type').where({ stream_id: id }).orderBy('sequence');
  return events.map(({ sequence, type }) => `${sequence} ${type}`);
}

/** What a mail program sends (RFC 8058, section 3.2). */
export const ONE_CLICK = 'List-Unsubscribe=One-Click';
