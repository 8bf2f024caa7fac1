import type { Workspace } from '@posthorn/domain/workspaces';

/**
 * Who sends an email: the workspace, the API key or user whose rate limit the request counts against, and the sending
 * domains that it may use; null for any sender.
 */
export type SendCaller = {
  readonly id: string;
  readonly workspace: Workspace;
  readonly domainIds: readonly string[] | null;
};
