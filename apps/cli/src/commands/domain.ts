import { operator } from '@posthorn/domain/audit-log';
import {
  createDomain,
  type DnsRecord,
  describeDomains,
  findAnyDomain,
  getPlatformRecords,
  listAllDomains,
  listDomainEvents,
  markDomainVerified,
  type SendingDomain,
  splitText,
} from '@posthorn/domain/domains';
import { isId } from '@posthorn/platform/values';
import type { Command } from 'commander';
import { assertWorkspaceExists, type CliContext, type RunAction } from '../command-line/context.js';
import { notFound } from '../command-line/errors.js';
import { pick } from '../command-line/print.js';

export function addDomainCommands(domain: Command, run: RunAction): void {
  domain
    .command('create')
    .description('add a domain to a workspace; no email can be sent from it until it is verified')
    .requiredOption('--workspace <id>', 'ID of the workspace that owns the domain')
    .requiredOption('--name <domain>', 'domain name, such as mail.example.com')
    .action((options) => run((ctx) => create(ctx, options)));

  domain
    .command('list')
    .description('list the domains of all workspaces, newest first')
    .action(() => run(list));

  domain
    .command('show')
    .description('show a domain with its DNS records, the result of the last check, and its events')
    .argument('<id>', 'ID of the domain')
    .action((id) => run((ctx) => show(ctx, id)));

  domain
    .command('platform')
    .description('print the DNS records to add for the platform domain (PLATFORM_SENDER_DOMAIN)')
    .action(() => run(showPlatform));

  domain
    .command('verify')
    .description('mark a domain as verified without checking DNS')
    .argument('<id>', 'ID of the domain')
    .action((id) => run((ctx) => verify(ctx, id)));
}

async function create(ctx: CliContext, { workspace, name }: { workspace: string; name: string }) {
  await assertWorkspaceExists(ctx, workspace);
  return viewDomain(await createDomain(ctx, operator, workspace, name));
}

async function list({ db }: CliContext) {
  return (await listAllDomains(db)).map(viewDomain);
}

async function show(ctx: CliContext, id: string) {
  const domain = isId(id) ? await findAnyDomain(ctx.db, id) : null;
  if (!domain) throw notFound('domain', id);
  const [described] = await describeDomains(ctx, [domain]);
  const events = await listDomainEvents(ctx.db, id);
  return {
    ...viewDomain(domain),
    checkedAt: domain.checkedAt,
    records: described?.records.map(({ type, name, priority, value, finding }) => ({
      status: finding.status,
      ...viewRecord({ type, name, priority, value }),
      found: finding.found.map(quoteForTerminal).join(' '),
      message: finding.failure ?? finding.message,
    })),
    events: events.map((event) => pick(event, ['createdAt', 'type', 'detail'])),
  };
}

/** DNS values are untrusted: a terminal must not interpret control characters in them. */
function quoteForTerminal(text: string): string {
  return JSON.stringify(text.replaceAll(/\p{Cc}/gu, '\ufffd'));
}

async function showPlatform(ctx: CliContext) {
  const records = await getPlatformRecords(ctx);
  return records.map(({ note, ...record }) => ({ ...viewRecord(record), note }));
}

/** A TXT value as quoted strings, the form that zone files and DNS control panels accept. */
function viewRecord({ type, name, priority, value }: Pick<DnsRecord, 'type' | 'name' | 'priority' | 'value'>) {
  const parts = splitText(value).map((part) => `"${part}"`);
  return { type, name, priority, value: type === 'TXT' ? parts.join(' ') : value };
}

async function verify(ctx: CliContext, id: string) {
  const domain = isId(id) ? await markDomainVerified(ctx, id) : null;
  if (!domain) throw notFound('domain', id);
  return viewDomain(domain);
}

function viewDomain(domain: SendingDomain) {
  return pick(domain, ['id', 'workspaceId', 'name', 'status', 'createdAt', 'verifiedAt']);
}
