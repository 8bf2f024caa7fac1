import { Resolver } from 'node:dns/promises';
import type { Config } from '../../config/config.js';

/** Of one question to one server; the second try waits twice as long. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Of all questions together: somebody waits for the answer. */
const DEADLINE_MS = 8_000;

/** What DNS says under a name, or why it could not be asked. Nothing there is an answer: no values. */
export type DnsAnswer = { readonly values: readonly string[] } | { readonly failure: string };

/** One conversation with the resolvers; whoever opens it closes it. */
export type Dns = {
  /** Each value with its strings joined. */
  txt(name: string): Promise<DnsAnswer>;
  /** `<priority> <host>`, the lowest priority first. */
  mx(name: string): Promise<DnsAnswer>;
  close(): void;
};

/** A resolver of its own for every check: it remembers nothing, and ending it ends all its questions. */
export function openDns({ dnsServers }: Pick<Config, 'dnsServers'>): Dns {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (dnsServers.length > 0) resolver.setServers([...dnsServers]);
  const deadline = setTimeout(() => resolver.cancel(), DEADLINE_MS).unref();
  return {
    txt: (name) => answerOf(async () => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
    mx: (name) =>
      answerOf(async () => {
        const found = await resolver.resolveMx(name);
        return found
          .toSorted((a, b) => a.priority - b.priority)
          .map(({ priority, exchange }) => `${priority} ${exchange}`);
      }),
    close() {
      clearTimeout(deadline);
      resolver.cancel();
    },
  };
}

/** The name does not exist, or has nothing of that type (RFC 2308, 2): that is known for sure. */
const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA']);

const REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the resolver reports a fault of the domain’s servers (SERVFAIL)',
  EREFUSED: 'the resolver refuses the question (REFUSED)',
  ETIMEOUT: 'no resolver answered in time',
  ECANCELLED: 'no resolver answered in time',
  ECONNREFUSED: 'no resolver can be reached',
};

async function answerOf(ask: () => Promise<string[]>): Promise<DnsAnswer> {
  try {
    return { values: await ask() };
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    return NOTHING_THERE.has(code) ? { values: [] } : { failure: REASONS[code] ?? `the question failed (${code})` };
  }
}
