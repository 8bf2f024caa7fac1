import { type Priority, priorities } from '@posthorn/contract';
import { operator } from '@posthorn/domain/audit-log';
import { toHost } from '@posthorn/domain/format';
import {
  addRoute,
  decideRoute,
  EXPECTED_VIA,
  formatVia,
  parseVia,
  type Route,
  readRoutes,
  readRouting,
  removeRoute,
} from '@posthorn/domain/relays';
import { isId } from '@posthorn/platform/values';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { assertWorkspaceExists, type CliContext, type RunAction } from '../command-line/context.js';
import { notFound } from '../command-line/errors.js';
import { parseAddress, parseDomain } from '../command-line/options.js';

const DEFAULT_ORDER = 100;

export function addRouteCommands(route: Command, run: RunAction): void {
  route
    .command('add')
    .description('say which mail goes out by which relays; waiting mail follows within two seconds')
    .requiredOption('--via <relays>', 'relays and their weights, such as a=3,b=1', parseRelays)
    .option('--then <relays>', 'relays that follow when all of these are out', parseNames)
    .option('--workspace <id>', 'only mail of this workspace')
    .option('--domain <name>', 'only mail from this domain', parseDomain)
    .option('--recipient-domain <name>', 'only mail to this domain', parseDomain)
    .option('--tag <name:value>', 'only mail with this tag', parseTag)
    .addOption(new Option('--priority <priority>', 'only mail of this priority').choices(priorities))
    .option('--order <n>', 'the lowest one that matches is used', parseOrder, DEFAULT_ORDER)
    .action((options) => run((ctx) => add(ctx, options)));

  route
    .command('list')
    .description('list the routes in the order in which they are asked')
    .action(() => run(async ({ db }) => (await readRoutes(db)).map(toListed)));

  route
    .command('remove')
    .description('remove a route; its waiting mail follows within two seconds')
    .argument('<id>', 'ID of the route')
    .action((id) => run((ctx) => remove(ctx, id)));

  route
    .command('explain')
    .description('show by which route and relays an email would go')
    .requiredOption('--workspace <id>', 'ID of the workspace')
    .requiredOption('--from <address>', 'its sender', parseAddress)
    .requiredOption('--to <address>', 'a recipient', parseAddress)
    .option('--tag <name:value>', 'a tag; may be repeated', collectTags, [])
    .addOption(new Option('--priority <priority>', 'its priority').choices(priorities).default('normal'))
    .action((options) => run((ctx) => explain(ctx, options)));
}

type AddOptions = {
  via: Route['via'];
  then?: string[];
  workspace?: string;
  domain?: string;
  recipientDomain?: string;
  tag?: string;
  priority?: Priority;
  order: number;
};

type ExplainOptions = { workspace: string; from: string; to: string; tag: string[]; priority: Priority };

function parseRelays(text: string): Route['via'] {
  const via = parseVia(text);
  if (via === null) throw new InvalidArgumentError(EXPECTED_VIA);
  return via;
}

function parseNames(text: string): string[] {
  const names = parseRelays(text).map(({ relay }) => relay);
  if (text.includes('=')) throw new InvalidArgumentError('Use names of relays separated by commas, without weights.');
  return names;
}

function parseTag(text: string): string {
  if (/^[\w-]+:[\w-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a tag of the form name:value.');
}

function collectTags(text: string, tags: string[]): string[] {
  return [...tags, parseTag(text)];
}

function parseOrder(text: string): number {
  const order = Number(text);
  if (/^-?\d{1,9}$/.test(text)) return order;
  throw new InvalidArgumentError('It must be a whole number, such as 10.');
}

async function add(ctx: CliContext, { via, order, ...options }: AddOptions) {
  const { id } = await addRoute(ctx, operator, {
    order,
    via,
    fallback: options.then ?? [],
    workspaceId: await findWorkspaceId(ctx, options.workspace),
    domain: options.domain ?? null,
    recipientDomain: options.recipientDomain ?? null,
    tag: options.tag ?? null,
    priority: options.priority ?? null,
  });
  return { routeId: id };
}

async function findWorkspaceId(ctx: CliContext, id: string | undefined): Promise<string | null> {
  if (id === undefined) return null;
  await assertWorkspaceExists(ctx, id);
  return id;
}

async function remove(ctx: CliContext, id: string) {
  if (!isId(id)) throw notFound('route', id);
  await removeRoute(ctx, operator, id);
  return { routeId: id, removed: true };
}

/** Decided as for an email, so that both say the same. */
async function explain(ctx: CliContext, { workspace, from, to, tag: tags, priority }: ExplainOptions) {
  await assertWorkspaceExists(ctx, workspace);
  const facts = { workspaceId: workspace, domain: toHost(from), recipientDomain: toHost(to), tags, priority };
  const { route, relays } = decideRoute(await readRouting(ctx.db), facts, null);
  return { route: route?.id ?? 'default', relays };
}

function toListed({ id, order, via, fallback, workspaceId, domain, recipientDomain, tag, priority }: Route) {
  const match = { workspace: workspaceId, domain, recipientDomain, tag, priority };
  return { routeId: id, order, via: formatVia(via), fallback: fallback.join() || null, ...match };
}
