import { operator } from '@posthorn/domain/audit-log';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { createTestWorkspace, type TestWorkspace } from '@posthorn/testing';
import { expectThat, type Failure } from '../rig/failures.js';
import type { Rig } from '../rig/open-rig.js';

const RATE_LIMIT = 30;
const CAP = 40;
/** To each workspace. */
const REQUESTS = 80;

/** Two new workspaces: one with a rate limit, and one with a cap. */
export type LimitedWorkspaces = { readonly limited: TestWorkspace; readonly capped: TestWorkspace };

export async function createLimitedWorkspaces({ ctx }: Rig): Promise<LimitedWorkspaces> {
  const limited = await createTestWorkspace(ctx, { planId: 'pro' });
  await setWorkspaceLimits(ctx, operator, limited.workspaceId, { rate: RATE_LIMIT });
  const capped = await createTestWorkspace(ctx, { planId: 'pro' });
  await setWorkspaceLimits(ctx, operator, capped.workspaceId, { monthly: CAP, overage: 0 });
  return { limited, capped };
}

/**
 * Sends more than both workspaces may, to all API processes.
 * @param isRedisDown while Redis is down, each process counts the requests of the rate limit on its own
 */
export async function sendBeyondLimits(
  rig: Rig,
  { limited, capped }: LimitedWorkspaces,
  { pauseMs = 0, isRedisDown = false } = {},
): Promise<{ figures: string; failures: Failure[] }> {
  const accept = async ({ key }: TestWorkspace) => {
    let left = REQUESTS;
    const next = () => (left-- > 0 ? rig.requestTo('ok', { authorization: `Bearer ${key}` }) : null);
    const responses = await rig.client.load(4, next, pauseMs);
    return responses.filter(({ status }) => status === 202).length;
  };
  const [inWindow, underCap] = await Promise.all([accept(limited), accept(capped)]);
  const maxInWindow = isRedisDown ? rig.apis.length * RATE_LIMIT : RATE_LIMIT;
  return {
    figures: `${inWindow} at a rate limit of ${RATE_LIMIT}, ${underCap} at a cap of ${CAP}`,
    failures: [
      ...expectThat(inWindow <= maxInWindow, `${inWindow} emails passed a rate limit that allows ${maxInWindow}`),
      ...expectThat(inWindow >= RATE_LIMIT, `only ${inWindow} emails passed a rate limit of ${RATE_LIMIT}`),
      ...expectThat(underCap === CAP, `${underCap} emails passed a cap of ${CAP}`),
    ],
  };
}
