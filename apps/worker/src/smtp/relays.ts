import type { FeedbackKind } from '@posthorn/contract';
import type { ParsedWait } from '@posthorn/domain/emails';
import { noteRelayTrouble, type SealedRelay, toServerName } from '@posthorn/domain/relays';
import { type Config, isMxUrl, toRelayAddress } from '@posthorn/platform/config';
import type { Log } from '@posthorn/platform/logs';
import { openSecret } from '@posthorn/platform/secrets';
import { computePause } from '@posthorn/platform/values';
import { type CircuitBreaker, openCircuitBreaker } from './circuit-breaker.js';
import { type RelaySettings, toRelay } from './connection.js';
import { type Mail, type NoRoute, type OnTransaction, type SendResult, sendOverFirst, type Way } from './failover.js';
import { openPool, toServer } from './pool.js';
import { type LimitContext, openRelayLimits } from './relay-limits.js';
import { openSharedSessions, UNLIMITED } from './shared-sessions.js';
import { createSlowDowns, type SlowDowns } from './shared-slow-downs.js';
import type { Timeouts } from './timeouts.js';
import { findVariant, type Variant } from './variant.js';

export type Relays = ReturnType<typeof openRelays>;

type OpenRelay = Way & {
  /** null until the relay is known in Postgres. */
  readonly id: string | null;
  /** What its sessions depend on. If that changes, the relay is opened again. */
  readonly settings: RelaySettings;
  readonly isPaused: boolean;
};

type Settings = Pick<Config, 'smtpUrls' | 'secretKey' | 'previousSecretKeys'> & {
  /** The return path for checks of the relays. */
  readonly checkSender: string;
  readonly timeouts: Timeouts;
  /** Opens a relay that goes straight to the recipients' mail servers. */
  readonly openDirect: (relay: SealedRelay | null, settings: RelaySettings) => CircuitBreaker;
};

/** What is known of a relay before it is opened. The options are null until it is read from Postgres. */
type Described = Omit<OpenRelay, keyof Way> & { readonly options: SealedRelay | null };

type Table = ReadonlyMap<string, OpenRelay>;

/** The relays of this worker, each behind a circuit breaker. Until they are read from Postgres, those of SMTP_URL. */
export function openRelays(ctx: LimitContext, settings: Settings, onTransaction: OnTransaction = () => {}) {
  const { smtpUrls } = settings;
  const servers = smtpUrls.map((url, index) => ({
    ...{ name: toServerName(index), url, source: { ipv4: null, ipv6: null }, ehlo: null, connections: null },
  }));
  const slowDowns = createSlowDowns(ctx, (step) => computePause(step + 1, TOO_FAST));
  let table: Table = new Map();

  function replace(relays: readonly Described[]): void {
    const before = table;
    table = new Map(
      relays.map((relay) => [relay.settings.name, openRelay({ ...ctx, slowDowns }, before, relay, settings)]),
    );
    for (const [name, { breaker }] of before) if (table.get(name)?.breaker !== breaker) breaker.close();
  }

  replace(servers.map((server) => ({ id: null, isPaused: false, settings: server, options: null })));
  const inUse = () => [...table.values()].filter(({ isPaused }) => !isPaused).map(({ breaker }) => breaker);
  return {
    /** Opens the relays that are new or have changed, and closes the others once their messages are sent. */
    update: (relays: readonly SealedRelay[]) =>
      replace(relays.flatMap((relay) => describe(relay, findUrl(relay, { ...settings, servers, log: ctx.log })))),
    /** @param names of relays, in the order in which they are tried */
    send: (outgoing: Mail, names: readonly string[]): Promise<SendResult | NoRoute> =>
      sendOverFirst(listWays(table, names), outgoing, onTransaction),
    /** @returns null for a relay that gets the same message as any other */
    findVariant: (name: string): Variant | null => table.get(name)?.variant ?? null,
    /** @returns null for a relay whose provider reports no events */
    findProvider: (name: string) => findProvider(table.get(name)),
    /** @returns null for a relay that Postgres does not know */
    findId: (name: string): string | null => table.get(name)?.id ?? null,
    /**
     * Whether any relay may be used now. While none may be used, the worker claims no emails. If the operator has paused
     * all of them, emails are claimed and held back.
     */
    areAvailable: () => inUse().length === 0 || inUse().some((breaker) => breaker.isAvailable()),
    /** Whether every relay has failed. One email is then enough to find out whether a relay works again. */
    needProbe: () => inUse().length > 0 && inUse().every((breaker) => breaker.needsProbe()),
    countSendable: (names: readonly string[]): number => countSendable(listWays(table, names)),
    prepare: (wait: Wait, max: number) => prepare(table, wait, max),
    /** Seconds until the first relay may be used again. */
    pauseSeconds: () => Math.max(1, Math.min(...inUse().map(countPauseSeconds), MAX_PAUSE_SECONDS)),
    readStates: () => readStates(table),
    readSites: () => [...table.values()].flatMap(({ breaker }) => [...(breaker.countSessionsBySite?.() ?? [])]),
    close(): void {
      for (const { breaker } of table.values()) breaker.close();
    },
  };
}

const MAX_PAUSE_SECONDS = 30;

/** The pauses while a relay says that we send too fast, in seconds. */
const TOO_FAST = { first: 2, max: 300 };

function countPauseSeconds(breaker: CircuitBreaker): number {
  return (breaker.pausedUntil() - performance.now()) / 1_000;
}

function listWays(table: Table, names: readonly string[]): Way[] {
  return names.map((name) => table.get(name)).filter((way) => way !== undefined);
}

/** How many emails may be sent by these relays now: any number, one as a probe, or none. */
function countSendable(ways: readonly Way[]): number {
  const available = ways.filter(({ breaker }) => breaker.isAvailable());
  if (available.length === 0) return 0;
  return available.every(({ breaker }) => breaker.needsProbe()) ? 1 : Number.POSITIVE_INFINITY;
}

function describe(relay: SealedRelay, url: string | null): Described[] {
  if (url === null) return [];
  const { id, isPaused } = relay;
  return [{ id, isPaused, options: relay, settings: { ...pickSettings(relay), url } }];
}

function findProvider(relay: OpenRelay | undefined): { relayId: string; kind: FeedbackKind } | null {
  const { id = null, variant = null } = relay ?? {};
  return id === null || variant?.feedback == null ? null : { relayId: id, kind: variant.feedback };
}

/** @property name of the relay, or `<relay>/<site>` */
type Wait = Pick<ParsedWait, 'kind' | 'name'>;

/** How many emails that wait for a limit of a relay may be claimed now. */
async function prepare(table: Table, { kind, name }: Wait, max: number): Promise<number> {
  const way = table.get(name.split('/')[0] ?? name);
  const count = way ? Math.min(max, countSendable([way])) : 0;
  if (way === undefined || count === 0 || way.slowDowns?.find(way.breaker.route)) return 0;
  if (kind === 'connections' || kind === 'slow') return Math.min(count, await way.breaker.countRoom(name));
  return way.limits === null ? count : way.limits.prepare(kind, count);
}

function readStates(table: Table) {
  return [...table].map(([relay, { breaker, isPaused }]) => ({
    relay,
    /** False while it is paused, after a failure until it has worked again, and while it refuses us. */
    isUsable: !(isPaused || breaker.needsProbe() || breaker.isRefusing()),
    sessions: breaker.countSessions(),
  }));
}

function openRelay(
  ctx: LimitContext & { readonly slowDowns: SlowDowns },
  table: Table,
  { id, isPaused, settings, options }: Described,
  { checkSender, timeouts, openDirect }: Settings,
): OpenRelay {
  const known = table.get(settings.name);
  const limits = options?.rate || options?.warmUp ? openRelayLimits(ctx, options) : null;
  const variant = options && findVariant(options, toRelayAddress(settings.url));
  if (known && known.id === id && isSame(known.settings, settings)) return { ...known, limits, variant, id, isPaused };
  const common = { limits, variant, id, settings, isPaused };
  if (isMxUrl(settings.url)) return { ...common, breaker: openDirect(options, settings), slowDowns: null };
  const connections = options?.connections ?? null;
  const shared = connections === null || id === null ? UNLIMITED : openSharedSessions(ctx, { id, connections });
  const pool = openPool(toServer(toRelay(settings, timeouts)), shared);
  const onTrouble = buildTroubleNote(ctx, id);
  const breaker = openCircuitBreaker(settings.name, pool, ctx.log, { checkSender, onTrouble });
  return { ...common, breaker, slowDowns: ctx.slowDowns };
}

/** Trouble is written to Postgres at most so often. */
const TROUBLE_MS = 10_000;

function buildTroubleNote({ db, log }: LimitContext, id: string | null): (why: string) => void {
  let next = 0;
  return (why) => {
    if (id === null || performance.now() < next) return;
    next = performance.now() + TROUBLE_MS;
    void noteRelayTrouble(db, id, why).catch((error) => log.debug({ error }, 'relay_trouble_not_noted'));
  };
}

/** @returns null if its URL is not known here, so it cannot be used */
function findUrl(
  { id, name, sealedUrl }: SealedRelay,
  { servers, log, ...secrets }: Settings & { readonly servers: readonly RelaySettings[]; readonly log: Log },
): string | null {
  if (sealedUrl === null) return servers.find((server) => server.name === name)?.url ?? null;
  try {
    return openSecret(secrets, sealedUrl, id).toString();
  } catch (error) {
    log.error({ error, relay: name }, 'relay_url_not_readable');
    return null;
  }
}

function pickSettings({ name, source, ehlo, connections }: SealedRelay): Omit<RelaySettings, 'url'> {
  return { name, source, ehlo, connections };
}

function isSame(a: RelaySettings, b: RelaySettings): boolean {
  return (
    a.url === b.url &&
    a.source.ipv4 === b.source.ipv4 &&
    a.source.ipv6 === b.source.ipv6 &&
    a.ehlo === b.ehlo &&
    a.connections === b.connections
  );
}
