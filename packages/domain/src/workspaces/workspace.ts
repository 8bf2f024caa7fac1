import type { AuditTarget, Mode } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import type { Allowance } from '@posthorn/domain/plans';
import type { Context } from '@posthorn/platform';
import { DAY_MS } from '@posthorn/platform/values';
import { NIL } from 'uuid';

/** The tenant, with the limits in force for it. Its emails belong to `id`. */
export type Workspace = {
  readonly id: string;
  /**
   * The workspace that has the templates, domains, keys and members: this one or, if it holds
   * test mail, the live workspace that it belongs to.
   */
  readonly liveId: string;
  /** The workspace with the test mail; null if there has been no test key yet. */
  readonly testId: string | null;
  readonly name: string;
  /** Local part of the platform sender: `<slug>@<platform domain>`. */
  readonly slug: string;
  readonly allowance: Allowance;
  readonly retention: WorkspaceRetention;
  /** The workspace's only owner, while the owner's address is not verified; null in every other case. */
  readonly unverifiedOwner: UnverifiedOwner | null;
  /** Whether any address might be suppressed. If not, there is nothing to look up when an email is accepted. */
  readonly hasSuppressions: boolean;
  /** While it is paused, its new live mail is refused; null in every other case. */
  readonly pause: WorkspacePause | null;
};

export type WorkspacePause = {
  readonly since: Date;
  /** Sentences for the owners. */
  readonly reason: string;
  /** `system` if too much bounced or was marked as spam. */
  readonly by: 'operator' | 'system';
  /** When an owner last ended a pause; null if none ever did. */
  readonly ownerResumedAt: Date | null;
};

/** Whether an owner may end the pause. After that, the operator decides about the next one for a while. */
export function mayOwnerResume({ by, since, ownerResumedAt }: WorkspacePause): boolean {
  const isLongAgo = (at: Date) => since.getTime() - at.getTime() > limits.ownerResumeDays.max * DAY_MS;
  return by === 'system' && (ownerResumedAt === null || isLongAgo(ownerResumedAt));
}

/** How many days the workspace keeps its emails and their content; null for the service's own retention. */
export type WorkspaceRetention = { readonly contentDays: number | null; readonly emailDays: number | null };

/** Anyone could have signed up with this address, so the workspace may send to this address and to no other. */
type UnverifiedOwner = {
  readonly email: string;
  /** A hash of the network that the sign-up came from. */
  readonly signupSource: string;
};

export function toWorkspaceTarget({ id, name }: { id: string; name: string }): AuditTarget {
  return { type: 'workspace', id, label: name };
}

/**
 * The workspace that sends the service's own mail (reset links, invitations) from no-reply@<platform domain>. The
 * schema creates it. It has no caps, and no members who could read the links.
 */
export const SYSTEM_WORKSPACE_ID = '00000000-0000-7000-8000-000000000000';

/** The workspace of a suppression that an operator has added for all workspaces. */
export const EVERY_WORKSPACE = NIL;

/**
 * The workspace that holds the test mail. Its only cap is a daily one, which no cap on live mail can lower. It has no
 * templates, domains, keys or members of its own.
 * @returns null if the workspace never had a test key
 */
export function toTestWorkspace(live: Workspace): Workspace | null {
  if (live.testId === null) return null;
  const allowance = { ...live.allowance, monthly: null, monthlyCap: null, daily: live.allowance.testSends };
  return { ...live, id: live.testId, testId: null, liveId: live.id, allowance };
}

/** Whether the workspace holds test mail. */
export function isTest({ id, liveId }: Pick<Workspace, 'id' | 'liveId'>): boolean {
  return id !== liveId;
}

export function getMode(workspace: Pick<Workspace, 'id' | 'liveId'>): Mode {
  return isTest(workspace) ? 'test' : 'live';
}

/** The address of a workspace's platform sender. */
export function toPlatformAddress({ config }: Pick<Context, 'config'>, { slug }: Pick<Workspace, 'slug'>): string {
  return `${slug}@${config.platformSenderDomain}`;
}
