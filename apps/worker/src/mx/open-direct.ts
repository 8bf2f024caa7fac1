import type { SealedRelay } from '@posthorn/domain/relays';
import type { Context } from '@posthorn/platform';
import { createSsrfGuard } from '@posthorn/webhooks';
import type { CircuitBreaker } from '../smtp/circuit-breaker.js';
import type { RelaySettings } from '../smtp/connection.js';
import { toTimeouts } from '../smtp/timeouts.js';
import { openDirectRelay } from './direct-relay.js';
import { createMailDns } from './dns-client.js';
import { createPolicyFetcher, createPolicyFinder } from './find-policy.js';

/** Many mail servers allow few connections from one address, and several sites may share one. */
const IDLE_MS = 3_000;

/** @returns a function that opens relays that go straight to the recipients' mail servers. They share what DNS has said */
export function createDirectOpener(
  ctx: Context,
): (relay: SealedRelay | null, settings: RelaySettings) => CircuitBreaker {
  let shared: ReturnType<typeof openShared> | null = null;
  const timeouts = { ...toTimeouts(ctx.config.smtpTimeouts), idleMs: IDLE_MS };
  return (relay, { name, source, ehlo, connections }) => {
    shared ??= openShared(ctx);
    return openDirectRelay({ ...ctx, ...shared, timeouts }, { id: relay?.id ?? name, name, source, ehlo, connections });
  };
}

function openShared({ config, now }: Pick<Context, 'config' | 'now'>) {
  const dns = createMailDns(config);
  const fetchPolicy = createPolicyFetcher(createSsrfGuard(config));
  return { dns, policies: createPolicyFinder({ dns, fetchPolicy, now }) };
}
