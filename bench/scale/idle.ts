import { claimDueEmails, findLateEmails, formatCount, markDueEmails } from '@posthorn/domain';
import { usEach } from '../support/cpu.js';
import { median, medianWithRange } from '../support/figure.js';
import { report } from '../support/report.js';
import { openStack, type Stack } from '../support/stack.js';
import type { Row } from '../support/table.js';
import { ROUNDS } from './settings.js';

/** Numbers of workspaces whose emails are all due later. */
const IDLE = (process.env.IDLE ?? '100,20000').split(',').map(Number);
/** Sweeps per round. The kernel counts CPU time in hundredths of a second, so a round needs many sweeps. */
const SWEEPS = Number(process.env.SWEEPS ?? 1_000);
const SLOTS = 20;
const LEASE_SECONDS = 60;

type Size = { readonly idle: number; readonly us: number[]; readonly ms: number[] };

/** Measures what a sweep costs when no email is due. Every worker does such a sweep once per second. */
export async function measureIdle(): Promise<void> {
  const stack = await openStack();
  const sizes: Size[] = IDLE.map((idle) => ({ idle, us: [], ms: [] }));
  for (let round = 0; round < ROUNDS; round += 1) for (const size of sizes) await measureSweeps(stack, size);
  await stack.close();
  const medianOf = (wanted: number) => median(sizes.find(({ idle }) => idle === wanted)?.us ?? []);
  report(
    'scale-idle',
    sizes.map(toRow),
    { 'Postgres us, most / fewest': (medianOf(Math.max(...IDLE)) / medianOf(Math.min(...IDLE))).toFixed(2) },
    { IDLE: IDLE.join(','), SWEEPS, ROUNDS, ...stack.versions },
  );
}

async function measureSweeps({ ctx, cpuSeconds }: Stack, { idle, us, ms }: Size): Promise<void> {
  await ctx.db.raw('truncate deliveries');
  await ctx.db.raw(LATER, [idle]);
  await ctx.db.raw('vacuum analyze deliveries');
  const before = { postgres: cpuSeconds().postgres };
  const startedAt = performance.now();
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const marked = await markDueEmails(ctx.db, SLOTS);
    const claimed = await claimDueEmails(ctx.db, { limit: SLOTS, holders: [], onlyOthers: false }, LEASE_SECONDS);
    const late = await findLateEmails(ctx.db, 'past_send_before', 1);
    if (marked + claimed.length + late.length > 0) throw new Error('An email was due');
  }
  ms.push((performance.now() - startedAt) / SWEEPS);
  us.push(usEach(before, { postgres: cpuSeconds().postgres }, SWEEPS).postgres);
}

const LATER = `
  insert into deliveries (email_id, workspace_id, due_at, is_due)
  select gen_random_uuid(), gen_random_uuid(), now() + interval '1 day' + n * interval '1 second', false
  from generate_series(1, ?::int) as n`;

function toRow({ idle, us, ms }: Size): Row {
  return {
    'idle workspaces': formatCount(idle),
    'Postgres us/sweep': medianWithRange(us),
    'ms/sweep': medianWithRange(ms, 2),
  };
}
