import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, MINUTE_MS } from '@posthorn/platform/values';
import { type FetchedText, fetchText, type SsrfGuard } from '@posthorn/webhooks';
import type { MailDns } from './dns-client.js';
import { createExpiringCache } from './expiring-cache.js';
import { toHostName } from './host-name.js';
import { findPolicyId, type PublishedPolicy, parsePolicy } from './mta-sts-policy.js';

/**
 * An MTA-STS policy (RFC 8461) that holds. With `enforce`, mail for the domain may go only to hosts that `matchesPolicy`
 * accepts, over TLS with a valid certificate. With `testing`, it is delivered as without a policy.
 */
export type StsPolicy = {
  readonly mode: 'enforce' | 'testing';
  readonly mx: readonly string[];
  readonly id: string;
  readonly expires: Date;
};

export type PolicyFinder = {
  /**
   * It never rejects, and waits for a policy that is not cached for `timeoutMs` of the finder at most.
   * @param options.isFresh whether to ask DNS for the id of the policy although it is cached. Do so before mail is
   *   deferred because of the policy: the domain may have changed it
   * @returns null if mail is delivered as without a policy
   */
  findPolicy(domain: string, options?: { readonly isFresh?: boolean }): Promise<StsPolicy | null>;
};

export type PolicyFinderContext = {
  readonly dns: MailDns;
  /** Fetches the policy of a domain. It must not reject. */
  readonly fetchPolicy: (domain: string) => Promise<FetchedText>;
  readonly now: () => Date;
};

/** Fits into the minute that RFC 8461, 3.3 suggests, and short, because mail waits for it. */
const FETCH_TIMEOUT_MS = 8_000;
/** RFC 8461, 3.3 */
const MAX_POLICY_BYTES = 64 * 1_024;
/** RFC 8461, 3.3 suggests at least five minutes. */
const FAILED_MS = 5 * MINUTE_MS;
/** RFC 8461, 3.3 suggests to look for changes daily, so that a policy does not expire while its server is away. */
const REFRESH_MS = DAY_MS;

const MAX_CACHED = 10_000;
const MAX_FETCHES = 50;
const MAX_WAITING_FETCHES = 1_000;

/** @property port for tests, which cannot listen on 443 */
type FetchOptions = { readonly port?: number; readonly timeoutMs?: number };

/** @param guard that of webhooks: it looks names up by DNS_SERVERS and refuses private addresses */
export function createPolicyFetcher(
  guard: SsrfGuard,
  { port = 443, timeoutMs = FETCH_TIMEOUT_MS }: FetchOptions = {},
): PolicyFinderContext['fetchPolicy'] {
  return (domain) =>
    fetchText(guard, `https://mta-sts.${domain}:${port}/.well-known/mta-sts.txt`, {
      mediaType: 'text/plain',
      maxBytes: MAX_POLICY_BYTES,
      timeoutMs,
    });
}

type CachedPolicy = PublishedPolicy & { readonly id: string; readonly expires: Date; readonly refreshAt: number };

/** Caches policies in this process. @param timeoutMs how long mail waits for a fetch, which may have to wait its turn */
export function createPolicyFinder(
  { dns, fetchPolicy, now }: PolicyFinderContext,
  { timeoutMs = FETCH_TIMEOUT_MS } = {},
): PolicyFinder {
  const nowMs = () => now().getTime();
  const policies = createExpiringCache<CachedPolicy>(MAX_CACHED, nowMs);
  const pauses = createExpiringCache<true>(MAX_CACHED, nowMs);
  const running = new Map<string, Promise<void>>();
  const limit = createLimit(MAX_FETCHES);

  async function fetchAndCache(domain: string, id: string): Promise<void> {
    const fetched = await limit(() => fetchPolicy(domain));
    const policy = 'text' in fetched ? parsePolicy(fetched.text) : null;
    // Nor is one fetched for every email that is valid for no time.
    if (policy === null || policy.maxAgeSeconds === 0) pauses.set(domain, true, nowMs() + FAILED_MS);
    // A cached policy stays until it expires.
    if (policy === null) return;
    const maxAgeMs = policy.maxAgeSeconds * 1_000;
    const expires = new Date(nowMs() + maxAgeMs);
    const refreshAt = nowMs() + Math.min(REFRESH_MS, maxAgeMs / 2);
    policies.set(domain, { ...policy, id, expires, refreshAt }, expires.getTime());
  }

  function fetchOnce(domain: string, id: string): Promise<void> {
    const known = running.get(domain);
    if (known !== undefined) return known;
    if (pauses.find(domain) || running.size >= MAX_WAITING_FETCHES) return Promise.resolve();
    const fetching = fetchAndCache(domain, id).finally(() => running.delete(domain));
    running.set(domain, fetching);
    return fetching;
  }

  async function findPolicy(text: string, { isFresh = false } = {}): Promise<StsPolicy | null> {
    const domain = toHostName(text);
    if (domain === null) return null;
    const found = await dns.lookUp(`_mta-sts.${domain}`, 'TXT', { isFresh });
    const id = found.status === 'records' ? findPolicyId(found.records) : null;
    const cached = policies.find(domain);
    // Without a record, there is nothing to fetch, but a cached policy holds (RFC 8461, 3.1).
    if (id !== null && id !== cached?.id) await waitAtMost(timeoutMs, fetchOnce(domain, id));
    else if (id !== null && cached !== undefined && nowMs() >= cached.refreshAt) void fetchOnce(domain, id);
    return toStsPolicy(policies.find(domain));
  }

  return { findPolicy };
}

function toStsPolicy(cached: CachedPolicy | undefined): StsPolicy | null {
  if (cached === undefined || cached.mode === 'none') return null;
  const { mode, mx, id, expires } = cached;
  return { mode, mx, id, expires };
}

async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const elapsed = sleep(ms, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([work, elapsed]);
  timer.abort();
}

/** Runs at most `max` tasks at the same time. The others wait for their turn. */
function createLimit(max: number): <Result>(task: () => Promise<Result>) => Promise<Result> {
  const waiting: Array<() => void> = [];
  let active = 0;
  return async (task) => {
    if (active < max) active += 1;
    // A task that ends passes its place on.
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else active -= 1;
    }
  };
}
