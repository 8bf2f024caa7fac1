import { Resolver } from 'node:dns/promises';

/** Timeout for one query to one server. The second try waits twice as long. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Timeout for all queries of a check together, because a client may be waiting for the result. */
const DEADLINE_MS = 8_000;

/** The values at a name, or why the query failed. A name without records has no values, which is not a failure. */
export type DnsAnswer = { readonly values: readonly string[] } | { readonly failure: string };

/** A resolver for one check. The function that opens it must close it. */
export type Dns = {
  /** The values of TXT records. The strings of each value are joined. */
  txt(name: string): Promise<DnsAnswer>;
  /** Values have the form `<priority> <host>` and are sorted by priority, lowest first. */
  mx(name: string): Promise<DnsAnswer>;
  /** The host that a name is an alias of. */
  cname(name: string): Promise<DnsAnswer>;
  /** The IPv4 and IPv6 addresses of a host. It fails only if no query found one and at least one failed. */
  addresses(name: string): Promise<DnsAnswer>;
  close(): void;
};

/** Opens a new resolver for every check, so that nothing is cached and closing the resolver cancels all its queries. */
export function createDns({ dnsServers }: { readonly dnsServers: readonly string[] }): Dns {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (dnsServers.length > 0) resolver.setServers([...dnsServers]);
  const deadline = setTimeout(() => resolver.cancel(), DEADLINE_MS).unref();
  return {
    txt: (name) => toAnswer(async () => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
    mx: (name) =>
      toAnswer(async () => {
        const found = await resolver.resolveMx(name);
        return found
          .toSorted((a, b) => a.priority - b.priority)
          .map(({ priority, exchange }) => `${priority} ${exchange}`);
      }),
    cname: (name) => toAnswer(() => resolver.resolveCname(name)),
    addresses: (name) => findAddresses(resolver, name),
    close() {
      clearTimeout(deadline);
      resolver.cancel();
    },
  };
}

async function findAddresses(resolver: Resolver, name: string): Promise<DnsAnswer> {
  const answers = await Promise.all([toAnswer(() => resolver.resolve4(name)), toAnswer(() => resolver.resolve6(name))]);
  const values = answers.flatMap((answer) => ('values' in answer ? answer.values : []));
  const failed = answers.find((answer) => 'failure' in answer);
  return values.length === 0 && failed ? failed : { values };
}

/** The answer was that the name does not exist or has no record of that type (RFC 2308, 2). */
const NO_RECORDS = new Set(['ENOTFOUND', 'ENODATA']);

const REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the resolver got no valid answer from the domain’s servers (SERVFAIL)',
  EREFUSED: 'the resolver refused the query (REFUSED)',
  ETIMEOUT: 'no resolver answered in time',
  ECANCELLED: 'no resolver answered in time',
  ECONNREFUSED: 'no resolver could be reached',
  EBADNAME: 'the name has an empty part, or a part with more than 63 characters',
};

async function toAnswer(query: () => Promise<string[]>): Promise<DnsAnswer> {
  try {
    return { values: await query() };
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    return NO_RECORDS.has(code) ? { values: [] } : { failure: REASONS[code] ?? `the query failed (${code})` };
  }
}
