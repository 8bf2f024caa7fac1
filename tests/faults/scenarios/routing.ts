import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { addRelay, addRoute, removeRoute, setRelayPaused } from '@posthorn/domain/relays';
import { until } from '@posthorn/testing';
import { expectInTime, expectThat, type Failure } from '../../rig/failures.js';
import type { FaultySmtp } from '../../rig/faulty-smtp.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { untilSettled } from '../../rig/until.js';

/** What a relay says that has withdrawn our account while we send. */
const DENIED = { moment: 'RCPT', how: 'say', reply: '550 5.7.1 Relaying denied' } as const;

/** Nothing of a refusal of us may stay with recipients, attempts or workspaces. */
async function checkNobodyIsBlamed({ ctx }: Rig): Promise<Failure[]> {
  const { rows } = await ctx.db.raw(`
    select (select count(*)::int from email_recipients where status <> 'sent') as others,
      (select count(*)::int from suppressions) as suppressed,
      (select count(*)::int from delivery_attempts where outcome <> 'sent') as failed`);
  const { others, suppressed, failed } = rows[0];
  return [
    ...expectThat(others === 0, `${others} recipients are not sent`),
    ...expectThat(suppressed === 0, `${suppressed} addresses are suppressed`),
    ...expectThat(failed === 0, `${failed} attempts did not end with the second relay`),
  ];
}

/** The first relay begins to refuse us when it has a third of the mail. */
async function sendWhileDenied(rig: Rig, emails: number) {
  const [first, second] = rig.mailServers as [FaultySmtp, FaultySmtp];
  const sending = rig.sendMany(emails);
  await until('the first relay has a third of the mail', () => first.handoffs.length >= emails / 3);
  await first.overrideReplies(DENIED);
  const before = first.handoffs.length;
  await sending;
  await untilSettled(rig);
  const [ofFirst, ofSecond] = [first.handoffs.length, second.handoffs.length];
  return {
    figures: `${ofFirst} by the first relay, ${ofSecond} by the second`,
    failures: [
      // Messages whose recipients it has taken already still go to it.
      ...expectThat(ofFirst - before <= IN_FLIGHT, `the first relay got ${ofFirst - before} emails after it refused`),
      ...expectThat(ofFirst + ofSecond === emails, `the relays have ${ofFirst + ofSecond} of ${emails} emails`),
      ...(await checkNobodyIsBlamed(rig)),
    ],
  };
}

const WORKERS = 2;
const IN_FLIGHT = WORKERS * 8;

/** Workers read routes once a second, and attempts that have begun are finished. */
const MAX_FOLLOW_MS = 3_000;

/** Relays `a` and `b` beside the server of SMTP_URL, which may get nothing. */
async function addRelays({ ctx, mailServers: [, a, b] }: Rig): Promise<void> {
  for (const [name, server] of Object.entries({ a, b }))
    await addRelay(ctx, operator, { name, url: `smtp://127.0.0.1:${server?.port}` });
}

function addRouteVia({ ctx }: Rig, relay: string, order: number) {
  const match = { workspaceId: null, domain: null, recipientDomain: null, tag: null, priority: null };
  return addRoute(ctx, operator, { ...match, order, via: [{ relay, weight: 1 }], fallback: [] });
}

type Change = { readonly from: FaultySmtp; readonly to: FaultySmtp; readonly change: () => Promise<unknown> };

/** @returns milliseconds from the change until the old relay got its last message and the new one its first */
async function timeChange({ from, to, change }: Change): Promise<number> {
  await until('the relay of the route gets mail', gets(from));
  await change();
  const changedAt = Date.now();
  await until('the new relay gets mail', gets(to));
  await sleep(MAX_FOLLOW_MS + 1_000);
  const last = from.handoffs.at(-1)?.at ?? changedAt;
  const first = to.handoffs.find(({ at }) => at >= changedAt)?.at ?? changedAt;
  return Math.max(last, first) - changedAt;
}

function gets({ handoffs }: FaultySmtp): () => boolean {
  const before = handoffs.length;
  return () => handoffs.length > before;
}

/** While the only relay of the route is paused, mail waits. @returns milliseconds until it has followed a new route */
async function timeWaitingMail(rig: Rig, b: FaultySmtp): Promise<number> {
  await setRelayPaused(rig.ctx, operator, 'a', true);
  await sleep(MAX_FOLLOW_MS);
  const before = b.handoffs.length;
  await rig.sendMany(WAITING);
  await sleep(1_000);
  const route = await addRouteVia(rig, 'b', 1);
  const changedAt = performance.now();
  await until('waiting mail has followed', () => b.handoffs.length >= before + WAITING);
  const ms = performance.now() - changedAt;
  await setRelayPaused(rig.ctx, operator, 'a', false);
  await removeRoute(rig.ctx, operator, route.id);
  return ms;
}

const WAITING = 200;

async function changeRoutes(rig: Rig, rounds: number) {
  const [fallback, a, b] = rig.mailServers as [FaultySmtp, FaultySmtp, FaultySmtp];
  const { ctx } = rig;
  await addRelays(rig);
  await addRouteVia(rig, 'a', 10);
  await sleep(MAX_FOLLOW_MS);
  const times: number[] = [];
  await rig.whileSending(
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        let routeId = '';
        const there = async () => {
          routeId = (await addRouteVia(rig, 'b', 1)).id;
        };
        times.push(await timeChange({ from: a, to: b, change: there }));
        times.push(await timeChange({ from: b, to: a, change: () => removeRoute(ctx, operator, routeId) }));
      }
    },
    { pauseMs: 20 },
  );
  await untilSettled(rig);
  const waitedMs = Math.round(await timeWaitingMail(rig, b));
  await untilSettled(rig);
  const slowest = Math.round(Math.max(...times));
  return {
    figures: `${times.length} changes; mail followed after ${slowest} ms at most, and ${WAITING} waiting emails within ${waitedMs} ms`,
    failures: [
      ...expectThat(fallback.handoffs.length === 0, `${fallback.handoffs.length} emails fell to the default route`),
      ...expectInTime(slowest <= MAX_FOLLOW_MS, `mail followed a change after ${slowest} ms`),
      ...expectInTime(waitedMs <= 2 * MAX_FOLLOW_MS, `waiting mail followed a change after ${waitedMs} ms`),
      ...(await checkNobodyIsBlamed(rig)),
    ],
  };
}

export const routingScenarios: readonly Scenario[] = [
  {
    id: 'F47',
    fault: 'the first of two relays begins to deny relaying in the middle of 2,000 emails',
    options: { relays: 2, workers: WORKERS },
    run: (rig, scale) => sendWhileDenied(rig, Math.round(2_000 * scale)),
  },
  {
    id: 'F48',
    fault: 'a route changes from one relay to another and back under load; then its only relay is paused',
    options: {
      relays: 3,
      workers: WORKERS,
      env: async ([port]) => ({ SMTP_URL: `smtp://127.0.0.1:${port}` }),
    },
    run: (rig, scale) => changeRoutes(rig, Math.max(1, Math.round(5 * scale))),
  },
];
