import { acceptEmails, openAcceptContext } from '@posthorn/domain/accepting';
import { toSendCaller } from '@posthorn/domain/accounts';
import { authenticateKey, createKeyCache } from '@posthorn/domain/api-keys';
import { parseAddress } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';

/** Accepts an email as the API does. @returns its id */
export async function acceptEmail(
  ctx: Context,
  key: string,
  { to = ['jane@example.com'], scheduledAt = null }: { to?: string[]; scheduledAt?: Date | null } = {},
): Promise<string> {
  const caller = await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key);
  if (!caller) throw new Error('The key is unknown');
  const accepting = openAcceptContext(ctx);
  const request = {
    to: to.map(parseAddress),
    ...{ cc: [], bcc: [], replyTo: [], from: null, domainId: null, headers: {}, tags: [], scheduledAt },
    content: { kind: 'raw' as const, subject: 'Hello', html: null, text: 'Hi' },
  };
  try {
    const submission = { caller: toSendCaller(caller), requests: [request], idempotencyKey: null };
    return (await acceptEmails(accepting, { ...submission, toResponse: ([{ id }]) => id })).body;
  } finally {
    await accepting.close();
  }
}
