import { createRegistry, keepLargest } from '@posthorn/domain/monitoring';
import type { Context } from '@posthorn/platform';
import { addReadCounter, addReadGauge } from '@posthorn/platform/metrics';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Relays } from '../smtp/relays.js';
import type { Transaction } from '../smtp/transaction-result.js';

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

/** The metrics that a worker exposes at /metrics, in the Prometheus text format. */
export function createWorkerMetrics(ctx: Pick<Context, 'db' | 'redis' | 'config'>) {
  const registry = createRegistry(ctx);
  const ifDelivering = ctx.config.workerRoles.includes('deliver') ? [registry] : [];
  return {
    registry,
    ...deliveryMetrics([registry]),
    ...queueAndWebhookMetrics([registry]),
    inHand: inHandGauge(ifDelivering),
  };
}

/** Only workers that deliver expose it: an alert tells by it that there is none. */
function inHandGauge(registers: Registry[]) {
  return new Gauge({
    name: 'posthorn_deliveries_in_hand',
    help: 'Emails being delivered or waiting for their outcome to be recorded',
    registers,
  });
}

function deliveryMetrics(registers: Registry[]) {
  return {
    attempts: new Counter({
      name: 'posthorn_attempts_total',
      help: 'Delivery attempts that have ended, by relay and outcome; relay is none if no relay was used',
      labelNames: ['relay', 'outcome'],
      registers,
    }),
    acceptToSent: new Histogram({
      name: 'posthorn_accept_to_sent_seconds',
      help: 'Seconds from the acceptance or the scheduled time of an email until a mail server accepted it',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 7_200, 43_200, 259_200],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'posthorn_delivery_attempt_seconds',
      help: 'Seconds from the claim of an email until its outcome is recorded',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 120],
      registers,
    }),
    recipients: new Counter({
      name: 'posthorn_recipients_total',
      help: 'Recipient results of attempts, by status, without test mail',
      labelNames: ['result'],
      registers,
    }),
    replies: new Counter({
      name: 'posthorn_smtp_replies_total',
      help: 'Last replies of relays for each recipient, by class: 2xx, 4xx, 5xx, or none if the connection was lost',
      labelNames: ['relay', 'class'],
      registers,
    }),
    claimed: new Counter({
      name: 'posthorn_emails_claimed_total',
      help: 'Claimed emails by how the worker found them: job, sweep, or lost_worker after the lease of another worker',
      labelNames: ['source'],
      registers,
    }),
    recovered: new Counter({
      name: 'posthorn_outcomes_recovered_total',
      help: 'Outcomes of lost workers that were recovered from a handoff marker, so that no second copy was sent',
      registers,
    }),
    notSigned: new Counter({
      name: 'posthorn_emails_not_signed_total',
      help: 'Emails that could not be signed: failed without a usable DKIM key, or waiting for the key',
      labelNames: ['result'],
      registers,
    }),
  };
}

function queueAndWebhookMetrics(registers: Registry[]) {
  return {
    jobs: new Counter({
      name: 'posthorn_delivery_jobs_received_total',
      help: 'Delivery jobs that this worker has received',
      registers,
    }),
    lostLeases: new Counter({
      name: 'posthorn_lost_leases_total',
      help: 'Outcomes that were not recorded because another worker had claimed the email',
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'posthorn_webhook_attempts_total',
      help: 'Requests to webhooks, by outcome: delivered or failed',
      labelNames: ['outcome'],
      registers,
    }),
    sweepFailures: new Counter({
      name: 'posthorn_sweep_failures_total',
      help: 'Rounds of the sweep in which a claim failed, or emails could not be marked as due',
      registers,
    }),
  };
}

/** Counts the last reply for each recipient of a transaction. If there is none, the connection failed. */
export function createReplyCounter(
  replies: Counter<'relay' | 'class'>,
): (relay: string, transaction: Transaction) => void {
  return (relay, transaction) => {
    for (const { reply } of transaction.replies.values())
      replies.inc({ relay, class: reply.code === null ? 'none' : `${Math.floor(reply.code / 100)}xx` });
    if (transaction.replies.size === 0) replies.inc({ relay, class: 'none' });
  };
}

type WorkerParts = {
  readonly relays: Pick<Relays, 'readSites' | 'readStates'>;
  readonly slots: { recording(): number };
  readonly refusedOutcomes: { count(): number };
};

/** Adds the metrics that are read from the parts of a worker when they are scraped. */
export function observeWorker(registry: Registry, { relays, slots, refusedOutcomes }: WorkerParts): void {
  addReadGauge(
    registry,
    {
      name: 'posthorn_outcomes_waiting',
      help: 'Outcomes that Postgres has not recorded yet (recording), or has refused to record (refused)',
      label: 'state',
    },
    () => ({ recording: slots.recording(), refused: refusedOutcomes.count() }),
  );
  addReadGauge(
    registry,
    {
      name: 'posthorn_relay_state',
      help: '1 while a relay is usable; 0 from its failure until a message went through, and while it refuses us',
      label: 'relay',
    },
    () => Object.fromEntries(relays.readStates().map(({ relay, isUsable }) => [relay, Number(isUsable)])),
  );
  addReadGauge(
    registry,
    { name: 'posthorn_smtp_sessions', help: 'Open SMTP sessions by relay, including idle ones', label: 'relay' },
    () => Object.fromEntries(relays.readStates().map(({ relay, sessions }) => [relay, sessions.open])),
  );
  addReadGauge(
    registry,
    {
      name: 'posthorn_site_sessions',
      help: 'Open SMTP sessions of direct delivery by site; the 50 sites with the most, and other',
      label: 'site',
    },
    () => keepLargest(new Map(relays.readSites())),
  );
  addReadGauge(
    registry,
    { name: 'posthorn_smtp_idle_sessions', help: 'Open SMTP sessions that carry no message, by relay', label: 'relay' },
    () => Object.fromEntries(relays.readStates().map(({ relay, sessions }) => [relay, sessions.idle])),
  );
  addReadCounter(
    registry,
    {
      name: 'posthorn_smtp_sessions_total',
      help: 'SMTP sessions that were opened, and those that could not be opened (failed)',
      labels: ['relay', 'result'],
    },
    () =>
      relays.readStates().flatMap(({ relay, sessions }) => [
        [{ relay, result: 'opened' }, sessions.opened],
        [{ relay, result: 'failed' }, sessions.failed],
      ]),
  );
}
