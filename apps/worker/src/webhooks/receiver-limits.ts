import { limits } from '@posthorn/domain/limits';
import type { LeasedWebhook, SharedLimit } from '@posthorn/domain/webhooks';

const EMAILS_PER_SECOND = 1 / 60;
/** More leases would read events that wait for a permit. */
const LEASES_OF_WORKSPACE = 4;
/** What one answer changes. A receiver that answers half of the requests with a 2xx keeps its place. */
const HARSH = { lessAfterRefused: 1, lessAfterUnanswered: 8 };
/**
 * An address can belong to a network that many tenants use (a CDN). So that nobody can slow down the others with a name
 * of their own that answers badly, only silence counts, and as little as an accepted request.
 */
const LENIENT = { lessAfterRefused: 0, lessAfterUnanswered: 1 };

/**
 * The limits on requests to the receiver of a webhook. Users choose URLs, and one URL in 50 webhooks must not become 800
 * connections to a stranger. All webhooks that lead to the same place share limits, whatever their workspaces, and
 * replays count like any other request.
 * @param addresses where the host of the URL leads to; none if that is not known
 */
export function listReceiverLimits(webhook: LeasedWebhook, addresses: readonly string[]): SharedLimit[] {
  const { protocol, hostname, port: explicitPort } = new URL(webhook.url);
  const port = explicitPort || (protocol === 'https:' ? '443' : '80');
  return [
    ...(webhook.isConfirmed ? [] : [buildUnconfirmedLimit(webhook)]),
    buildWorkspaceLimit(webhook, `${hostname.replace(/\.$/, '')}:${port}`),
    ...addresses.map((address) => buildAddressLimit(`${address}:${port}`)),
  ];
}

function buildUnconfirmedLimit({ id }: LeasedWebhook): SharedLimit {
  const { max } = limits.webhookRequestsUntilConfirmed;
  return {
    key: `unconfirmed:${id}`,
    first: 1,
    most: 1,
    mostLeases: 1,
    ...HARSH,
    perWindow: { atFirst: max, proven: max },
    windowSeconds: 60,
    endsWhenAccepted: true,
    growsWithAnswers: false,
  };
}

function buildWorkspaceLimit(webhook: LeasedWebhook, host: string): SharedLimit {
  const { max: first } = limits.webhookRequestsUnanswered;
  return {
    key: `workspace:${webhook.workspaceId}:${host}`,
    first,
    most: limits.webhookRequestsOfWorkspace.max,
    mostLeases: LEASES_OF_WORKSPACE,
    ...HARSH,
    perWindow: { atFirst: first, proven: getRequestsPerSecond(webhook) },
    windowSeconds: 1,
    endsWhenAccepted: false,
    growsWithAnswers: false,
  };
}

/** A workspace that may send more has more events. Somebody who has only signed up may have any receiver in mind. */
function getRequestsPerSecond({ hasVerifiedOwner, ratePerMinute }: LeasedWebhook): number {
  const { max } = limits.webhookRequestsPerSecondOfWorkspace;
  if (!hasVerifiedOwner) return limits.webhookRequestsUnanswered.max;
  return Math.max(max, Math.ceil(max * ratePerMinute * EMAILS_PER_SECOND));
}

function buildAddressLimit(address: string): SharedLimit {
  const { max: first } = limits.webhookRequestsUnanswered;
  return {
    key: `address:${address}`,
    first,
    most: limits.webhookRequestsToHost.max,
    mostLeases: Number.POSITIVE_INFINITY,
    ...LENIENT,
    perWindow: { atFirst: first, proven: limits.webhookRequestsPerSecondToHost.max },
    windowSeconds: 1,
    endsWhenAccepted: false,
    growsWithAnswers: true,
  };
}
