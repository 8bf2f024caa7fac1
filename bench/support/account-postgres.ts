import { readFileSync } from 'node:fs';
import type { Db } from '@posthorn/platform/postgres';
import type { Row } from './table.js';

/** Settings of Postgres that record what each statement costs, and the plans of one statement in twenty. */
export const ACCOUNT_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.track_planning': 'on',
  'auto_explain.log_min_duration': 0,
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_triggers': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.sample_rate': 0.05,
};

const SHOWN_CHARACTERS = 70;

export async function startAccount(db: Db): Promise<void> {
  await db.raw('create extension if not exists pg_stat_statements');
  await db.raw('select pg_stat_statements_reset()');
}

/** What the statements since `startAccount` took, per email; those inside functions are listed on their own. */
export async function readStatements(db: Db, emails: number): Promise<Row[]> {
  const { rows } = await db.raw(
    `select query, calls, total_exec_time * 1000 as exec, total_plan_time * 1000 as plan, wal_bytes, toplevel
     from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
     order by total_exec_time + total_plan_time desc limit 15`,
  );
  return rows.map(({ query, calls, exec, plan, wal_bytes: wal, toplevel }: StatementRow) => ({
    statement: `${toplevel ? '' : '- '}${query.replace(/\s+/g, ' ').trim().slice(0, SHOWN_CHARACTERS)}`,
    'calls per email': (calls / emails).toFixed(3),
    us: (exec / emails).toFixed(1),
    'planning us': (plan / emails).toFixed(1),
    'WAL bytes': Math.round(Number(wal) / emails),
  }));
}

type StatementRow = {
  readonly query: string;
  readonly calls: number;
  readonly exec: number;
  readonly plan: number;
  readonly wal_bytes: string;
  readonly toplevel: boolean;
};

type Plan = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Subplan Name'?: string;
  readonly 'Actual Total Time'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly Plan[];
};
type Explained = {
  readonly 'Query Text': string;
  readonly Plan: Plan;
  readonly Triggers?: ReadonlyArray<{ readonly 'Trigger Name': string; readonly Time: number }>;
};

/** The times of the parts of statements in the server's log: table expressions, nodes of plans and triggers, in us per call. */
export function readPlans(logFile: string, sinceBytes: number): Row[] {
  const log = readFileSync(logFile).subarray(sinceBytes).toString();
  const texts = log.matchAll(/plan:\n((?:\t.*\n)+)/g);
  const sums = new Map<string, { us: number; calls: number }>();
  for (const [, text = ''] of texts) {
    const explained: Explained = JSON.parse(text);
    const statement = explained['Query Text'].replace(/\s+/g, ' ').trim().slice(0, 24);
    for (const [part, us] of listParts(explained)) {
      const name = `${statement}: ${part}`;
      const { us: sum, calls } = sums.get(name) ?? { us: 0, calls: 0 };
      sums.set(name, { us: sum + us, calls: calls + 1 });
    }
  }
  return [...sums]
    .sort(([, one], [, two]) => two.us - one.us)
    .slice(0, 30)
    .map(([part, { us, calls }]) => ({ part, 'us per call': (us / calls).toFixed(0), samples: calls }));
}

/** The time of a node without that of the nodes below it. */
function listParts({ Plan: plan, Triggers: triggers = [] }: Explained): Array<[string, number]> {
  const parts = new Map<string, number>();
  const visit = (node: Plan, within: string): void => {
    const name = node['Subplan Name'] ?? within;
    const below = (node.Plans ?? []).reduce((sum, each) => sum + toUs(each), 0);
    const part = `${name} ${node['Node Type']} ${node['Relation Name'] ?? ''}`.trim();
    parts.set(part, (parts.get(part) ?? 0) + Math.max(0, toUs(node) - below));
    for (const each of node.Plans ?? []) visit(each, name);
  };
  visit(plan, '');
  for (const { 'Trigger Name': name, Time: ms } of triggers) parts.set(`trigger ${name}`, ms * 1_000);
  return [...parts];
}

function toUs(node: Plan): number {
  return (node['Actual Total Time'] ?? 0) * (node['Actual Loops'] ?? 1) * 1_000;
}
