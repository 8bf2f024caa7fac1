/** What a deployment has to carry. */
export type Load = {
  readonly emailsPerSecond: number;
  /** The average number of recipients of an email. */
  readonly recipients: number;
  /** The average size of html and text together, in kB. */
  readonly bodyKilobytes: number;
  /** How many webhooks take each event. */
  readonly webhooks: number;
  /** The share of emails that are sent with an Idempotency-Key, 0 to 1. */
  readonly withKey: number;
  /** How long content and emails are kept. */
  readonly retentionDays: { readonly content: number; readonly email: number };
  /** LEASE_SECONDS, which decides how long Redis keeps handoff markers. */
  readonly leaseSeconds: number;
};

/** CPU time in microseconds per email. */
export type Cost = { readonly api: number; readonly worker: number; readonly postgres: number; readonly redis: number };

/** What the benchmarks have measured. */
export type Measured = {
  /** The cost of an email at several rates, lowest rate first. At low rates, fewer emails share a transaction. */
  readonly costs: ReadonlyArray<{ readonly emailsPerSecond: number; readonly cost: Cost }>;
  /** CPU time in microseconds that an event for one webhook costs the worker and Postgres. */
  readonly event: { readonly worker: number; readonly postgres: number };
  /** Bytes per email: a fixed part, and a part per kilobyte of body. */
  readonly log: { readonly fixed: number; readonly perKilobyte: number };
  readonly content: { readonly fixed: number; readonly perKilobyte: number };
  /** Bytes of the rows of an email that are not content. */
  readonly email: number;
  readonly idempotencyKey: number;
  /** CPU time of the worker and of Postgres for another kilobyte of body, in microseconds. */
  readonly kilobyte: { readonly worker: number; readonly postgres: number };
  /** The html of the emails in `costs`, in kB. */
  readonly bodyKilobytes: number;
};

export type Sizing = {
  /** Cores in use on average. */
  readonly cores: Cost;
  readonly processes: { readonly api: number; readonly workers: number; readonly connections: number };
  readonly logBytesPerSecond: number;
  readonly redisBytes: number;
  readonly diskBytes: { readonly content: number; readonly emails: number; readonly keys: number };
};

/** Sizes of entries in Redis (docs/operating.md). */
const KEY_BYTES = 330;
const KEY_SECONDS = 120;
const MARKER_BYTES = 200;
/** An address and the server's reply. */
const MARKER_BYTES_PER_RECIPIENT = 100;
const MARKER_LEASES = 20;

/** An email that is delivered at the first attempt has two events: accepted and sent. */
const EVENTS = 2;
const KEPT_KEY_SECONDS = 86_400;
const DAY_SECONDS = 86_400;
/** A partition spans a fifth of the retention time, so the oldest rows are kept for up to that much longer. */
const PARTITION_OVERLAP = 1.2;
/** Beyond this share of a core, a process answers more and more slowly. */
const MAX_SHARE_OF_CORE = 0.7;
const CONNECTIONS_PER_PROCESS = 10;
const MICROSECONDS = 1_000_000;

/**
 * Estimates what a load needs, from the benchmarks' results. The results come from one machine, so cores of another one
 * are worth more or less.
 */
export function size(load: Load, measured: Measured): Sizing {
  const { emailsPerSecond: rate, bodyKilobytes, recipients, withKey, retentionDays } = load;
  const cores = coresOf(load, measured);
  const api = processesFor(cores.api);
  const workers = processesFor(cores.worker);
  const perEmail = ({ fixed, perKilobyte }: Measured['log']) => fixed + perKilobyte * bodyKilobytes;
  const emailsOf = (days: number) => rate * days * DAY_SECONDS * PARTITION_OVERLAP;
  const marker = MARKER_BYTES + recipients * MARKER_BYTES_PER_RECIPIENT;
  return {
    cores,
    processes: { api, workers, connections: (api + workers) * CONNECTIONS_PER_PROCESS },
    logBytesPerSecond: rate * perEmail(measured.log),
    redisBytes: rate * (withKey * KEY_BYTES * KEY_SECONDS + marker * MARKER_LEASES * load.leaseSeconds),
    diskBytes: {
      content: emailsOf(retentionDays.content) * perEmail(measured.content),
      emails: emailsOf(retentionDays.email) * measured.email,
      keys: rate * withKey * KEPT_KEY_SECONDS * measured.idempotencyKey,
    },
  };
}

function coresOf({ emailsPerSecond: rate, bodyKilobytes, webhooks }: Load, measured: Measured): Cost {
  const { api, worker, postgres, redis } = costAt(rate, measured.costs);
  const more = Math.max(0, bodyKilobytes - measured.bodyKilobytes);
  const events = EVENTS * webhooks;
  const cores = (us: number) => (rate * us) / MICROSECONDS;
  return {
    api: cores(api),
    worker: cores(worker + more * measured.kilobyte.worker + events * measured.event.worker),
    postgres: cores(postgres + more * measured.kilobyte.postgres + events * measured.event.postgres),
    redis: cores(redis),
  };
}

/** Between two measured rates, the cost follows a straight line on logarithmic scales. Outside, it stays the same. */
export function costAt(rate: number, costs: Measured['costs']): Cost {
  const above = costs.findIndex(({ emailsPerSecond }) => emailsPerSecond >= rate);
  const high = costs[above === -1 ? costs.length - 1 : above];
  const low = costs[above === -1 ? costs.length - 1 : Math.max(0, above - 1)];
  if (!high || !low) throw new Error('No benchmark result to size from');
  const span = Math.log(high.emailsPerSecond / low.emailsPerSecond);
  const share = span === 0 ? 0 : Math.log(rate / low.emailsPerSecond) / span;
  const between = (part: keyof Cost) => low.cost[part] * (high.cost[part] / low.cost[part]) ** share;
  return { api: between('api'), worker: between('worker'), postgres: between('postgres'), redis: between('redis') };
}

function processesFor(cores: number): number {
  return Math.max(1, Math.ceil(cores / MAX_SHARE_OF_CORE));
}
