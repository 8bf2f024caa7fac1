import { type LimitOverrides, toAllowance } from '@posthorn/domain/plans';
import type { Context } from '@posthorn/platform';
import { sha256Hex } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';
import { createTestWorkspace } from '@posthorn/testing';
import type { CommitRequest } from '../../src/accepting/commit-request.js';
import { getPeriods } from '../../src/workspaces/usage.js';
import type { Workspace } from '../../src/workspaces/workspace.js';

const NOVEMBER = new Date('2026-11-21T12:00:00Z');

/** A new workspace with these caps. Omitted caps do not apply. */
export async function openWorkspace(ctx: Context, caps: LimitOverrides = {}): Promise<Workspace> {
  const { workspaceId: id, slug } = await createTestWorkspace(ctx);
  const { name } = await ctx.db('workspaces').first('name').where({ id });
  return {
    id,
    liveId: id,
    testId: null,
    name,
    slug,
    allowance: allowanceWith(caps),
    retention: { contentDays: null, emailDays: null },
    unverifiedOwner: null,
    hasSuppressions: false,
    pause: null,
  };
}

export function withCaps(workspace: Workspace, caps: LimitOverrides): Workspace {
  return { ...workspace, allowance: allowanceWith(caps) };
}

function allowanceWith(caps: LimitOverrides) {
  return toAllowance('free', [{ monthly: null, daily: null, ...caps }], 1_000);
}

/** A request as the admission check passes it to the group commit. */
export function buildCommitRequest(
  workspace: Workspace,
  { sends = 1, key, request = 'a', at = NOVEMBER }: { sends?: number; key?: string; request?: string; at?: Date } = {},
): CommitRequest {
  const id = newId();
  const periods = getPeriods(at);
  return {
    workspace,
    periods,
    idempotencyKey: key === undefined ? null : { keyHash: sha256Hex(key), fingerprint: sha256Hex(request) },
    response: `response ${id}`,
    emails: [
      {
        id,
        workspaceId: workspace.id,
        status: 'queued',
        from: { name: null, address: 'shop@example.com' },
        domainId: null,
        subject: 'Hello',
        template: null,
        tracking: null,
        mode: 'live',
        countedBytes: 0,
        isSimulated: false,
        warnings: [],
        createdAt: at,
        request: {
          to: Array.from({ length: sends }, (_, i) => ({ name: null, address: `jane${i}@example.com` })),
          cc: [],
          bcc: [],
          replyTo: [],
          from: null,
          domainId: null,
          content: { kind: 'raw', subject: 'Hello', html: null, text: 'Hi' },
          headers: {},
          tags: [],
          scheduledAt: null,
        },
        usageDay: periods.day,
      },
    ],
  };
}

/** A workspace's usage by period, its number of stored emails, and its stored responses. */
export async function storedFor({ db }: Pick<Context, 'db'>, { id }: Workspace) {
  const rows = await db('usage').select('period', 'used').where({ workspace_id: id });
  const emails = await db('emails').select('id').where({ workspace_id: id });
  const keys = await db('idempotency_keys').select('response').where({ workspace_id: id });
  return {
    used: Object.fromEntries(rows.filter(({ used }) => used > 0).map(({ period, used }) => [period, used])),
    emails: emails.length,
    responses: keys.map(({ response }) => response).sort(),
  };
}
