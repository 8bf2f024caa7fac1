import type { Message, Session } from '@posthorn/contract';
import { platformAddress, type SessionCaller } from '@posthorn/domain';
import type { ApiContext } from '../context.js';

export function viewSession(ctx: Pick<ApiContext, 'config'>, { user, workspace }: SessionCaller): Session {
  return {
    user: { id: user.id, email: user.email },
    workspace: {
      id: workspace.id,
      name: workspace.name,
      slug: workspace.slug,
      plan: workspace.allowance.plan.id,
      platform_sender: platformAddress(ctx, workspace),
    },
  };
}

export function viewMessage(detail: string): Message {
  return { object: 'message', detail };
}
