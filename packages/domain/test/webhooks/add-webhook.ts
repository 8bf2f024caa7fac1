import { operator } from '@posthorn/domain/audit-log';
import { createWebhook, type Webhook } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';

/** Creates an enabled webhook that subscribes to `email.sent`. Nothing listens at its URL. */
export function addWebhook(ctx: Context, workspaceId: string): Promise<Webhook> {
  return createWebhook(
    ctx,
    operator,
    { id: workspaceId, liveId: workspaceId },
    {
      settings: {
        url: 'https://example.com/hook',
        description: '',
        events: ['email.sent'],
        domainIds: null,
        tags: null,
        status: 'enabled',
      },
      secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    },
  );
}
