import type {
  AccountSession,
  Message,
  OwnWorkspace as OwnWorkspaceJson,
  PasswordReset as PasswordResetJson,
  Session,
  Workspace as WorkspaceJson,
  WorkspacePause,
} from '@posthorn/contract';
import {
  describeRemovedAccess,
  type ListedSession,
  type OwnWorkspace,
  type PasswordReset,
  type SessionCaller,
} from '@posthorn/domain/accounts';
import { platformAddress, type Workspace } from '@posthorn/domain/workspaces';
import type { ApiContext } from '../context.js';

type ViewContext = Pick<ApiContext, 'config'>;

export function viewSession(ctx: ViewContext, { user, workspace }: SessionCaller): Session {
  const { object, ...fields } = viewWorkspace(ctx, workspace);
  return { user: { id: user.id, email: user.email, email_verified: user.emailVerified }, workspace: fields };
}

export function viewWorkspace(ctx: ViewContext, workspace: Workspace): WorkspaceJson {
  return {
    object: 'workspace',
    id: workspace.id,
    name: workspace.name,
    slug: workspace.slug,
    plan: workspace.allowance.plan.id,
    platform_sender: platformAddress(ctx, workspace),
    content_retention_days: workspace.retention.contentDays,
    email_retention_days: workspace.retention.emailDays,
    paused: viewPause(workspace),
  };
}

export function viewPause({ pause }: Workspace): WorkspacePause | null {
  return pause && { since: pause.since.toISOString(), reason: pause.reason };
}

export function viewOwnWorkspace(
  ctx: ViewContext,
  { workspace, role }: OwnWorkspace,
  currentId: string,
): OwnWorkspaceJson {
  return { ...viewWorkspace(ctx, workspace), role, current: workspace.id === currentId };
}

export function viewListedSession(session: ListedSession, currentId: string): AccountSession {
  return {
    object: 'session',
    id: session.id,
    workspace_id: session.workspaceId,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    current: session.id === currentId,
  };
}

export function viewPasswordReset({ removed }: PasswordReset): PasswordResetJson {
  if (removed === null) return { ...viewMessage('Your new password is set. You can log in now.'), removed: null };
  const { keys, sessions, members, invitations } = removed;
  const detail = `Your new password is set. You can log in now. Nobody had confirmed this email address before, so someone else could have created the account. To be safe, we removed ${describeRemovedAccess(removed)}.`;
  return { ...viewMessage(detail), removed: { api_keys: keys, sessions, members, invitations } };
}

export function viewMessage(detail: string): Message {
  return { object: 'message', detail };
}
