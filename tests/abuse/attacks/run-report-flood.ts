import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReturnPathMaker } from '@posthorn/domain/bounces';
import { newId } from '@posthorn/platform/values';
import { findFreePort } from '@posthorn/servers';
import { forkProgram, getPercentile } from '@posthorn/testing';
import { createTransport } from 'nodemailer';
import { startChild } from '../../../bench/support/child.js';
import { openWorkspace, type Stack } from '../../../bench/support/stack.js';
import { table } from '../../../bench/support/table.js';
import { dsn } from '../../rig/reports.js';
import { ROOT } from '../start-api.js';
import type { FloodJob, FloodReport } from './report-flooder.js';

/** How many times higher the p99 of the other tenant's bounces may be, or how high if that is more. */
const MAX_SLOWDOWN = 3;
const MAX_P99_MS = 1_200;
const MAX_GROWTH_MB = 300;
/** What a Free workspace may send a day. */
const EMAILS = 100;
const PEERS = 8;
const EVERY_MS = 500;

type Latencies = { readonly p50: number; readonly p99: number; readonly bounces: number };

/**
 * Floods the return paths of one tenant from several peers, while another tenant's emails bounce.
 * @returns the failures
 */
export async function runReportFlood(stack: Stack, { seconds }: { seconds: number }): Promise<string[]> {
  const port = await findFreePort();
  const env = { ...stack.env, INBOUND_PORT: String(port), INBOUND_HOST: '127.0.0.1', LOG_LEVEL: 'info' };
  const inbound = await startChild(join(ROOT, 'apps/inbound/dist/main.js'), env, { isReady: /inbound_listening/ });
  try {
    const bounce = await openVictim(stack, port);
    await measure(bounce, 2);
    const normal = await measure(bounce, seconds);
    const attacker = await openWorkspace(stack.ctx, 'flooded');
    const returnPaths = await insertSent(stack, attacker.workspaceId, EMAILS);
    const before = await readMegabytes(stack);
    const flooder = forkProgram(join(import.meta.dirname, 'report-flooder.ts'));
    const localAddresses = Array.from({ length: PEERS }, (_, peer) => `127.0.2.${peer + 1}`);
    await flooder.ask({ port, returnPaths, localAddresses } satisfies FloodJob);
    const flooded = await measure(bounce, seconds);
    const replies = await flooder.ask<FloodReport>('stop');
    const growth = (await readMegabytes(stack)) - before;
    show({ normal, flooded, replies, growth });
    return listFailures({ normal, flooded, growth });
  } finally {
    await inbound.stop();
  }
}

/** @returns a function that bounces another email, and waits until that is recorded */
async function openVictim(stack: Stack, port: number): Promise<() => Promise<number>> {
  const { workspaceId } = await openWorkspace(stack.ctx, 'bounced');
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  return async () => {
    const [to = ''] = await insertSent(stack, workspaceId, 1);
    const startedAt = performance.now();
    await transport.sendMail({ envelope: { from: '', to }, raw: dsn({ address: 'jane@example.com' }) });
    const isWaiting = () => stack.ctx.db('emails').where({ workspace_id: workspaceId, status: 'sent' }).first('id');
    while (await isWaiting()) await sleep(10);
    return performance.now() - startedAt;
  };
}

async function measure(bounce: () => Promise<number>, seconds: number): Promise<Latencies> {
  const waits: number[] = [];
  for (const until = performance.now() + seconds * 1_000; performance.now() < until; ) {
    const wait = await bounce();
    waits.push(wait);
    await sleep(Math.max(0, EVERY_MS - wait));
  }
  const at = (share: number) => getPercentile(waits, share) ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), bounces: waits.length };
}

/** Stores emails as they are once a server has accepted them. @returns their return paths */
async function insertSent({ ctx }: Stack, workspaceId: string, count: number): Promise<string[]> {
  const { rows } = await ctx.db.raw(
    `with sent as (
       insert into emails (id, workspace_id, status, from_, from_address, "to", subject, recipient_count, usage_day, created_at)
       select id, ?, 'sent', 'a@b.example', 'a@b.example', '{jane@example.com}', 'Hello', 1, current_date, now()
       from unnest(?::uuid[]) as new (id)
       returning id, workspace_id
     )
     insert into email_recipients (email_id, workspace_id, position, kind, address, status, updated_at)
     select id, workspace_id, 0, 'to', 'jane@example.com', 'sent', now() from sent
     returning email_id`,
    [workspaceId, Array.from({ length: count }, () => newId())],
  );
  const make = createReturnPathMaker(ctx.config);
  const domain = ctx.config.platformSenderDomain;
  return rows.map(({ email_id: emailId }: { email_id: string }) => make({ emailId, positions: [0], domain }));
}

async function readMegabytes({ ctx }: Stack): Promise<number> {
  const { rows } = await ctx.db.raw("select pg_total_relation_size('feedback_reports') as bytes");
  return Number(rows[0].bytes) / 1e6;
}

type Result = { readonly normal: Latencies; readonly flooded: Latencies; readonly growth: number };

function show({ normal, flooded, growth, replies }: Result & { readonly replies: FloodReport }): void {
  const toRow = (attack: string, { p50, p99, bounces }: Latencies) => ({
    attack,
    bounces,
    'p50 ms': p50.toFixed(0),
    'p99 ms': p99.toFixed(0),
    'times normal': (p99 / normal.p99).toFixed(1),
  });
  const said = Object.entries(replies).map(([code, count]) => `${code} x ${count}`);
  process.stdout.write(`${table([toRow('none', normal), toRow('report flood', flooded)])}\n`);
  process.stdout.write(`feedback_reports grew by ${growth.toFixed(0)} MB; replies: ${said.join(', ')}\n\n`);
}

function listFailures({ normal, flooded, growth }: Result): string[] {
  const limit = Math.max(MAX_SLOWDOWN * normal.p99, MAX_P99_MS);
  return [
    ...(flooded.p99 <= limit
      ? []
      : [
          `the p99 of the other tenant's bounces was ${flooded.p99.toFixed(0)} ms; the limit is ${limit.toFixed(0)} ms`,
        ]),
    ...(growth <= MAX_GROWTH_MB ? [] : [`the disk grew by ${growth.toFixed(0)} MB; the limit is ${MAX_GROWTH_MB} MB`]),
  ].map((failure) => `report flood: ${failure}`);
}
