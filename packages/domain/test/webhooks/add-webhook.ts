import { type Context, createWebhook, operator, type Webhook } from '@posthorn/domain';

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
