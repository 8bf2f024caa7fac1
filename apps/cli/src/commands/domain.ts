import {
  createDomain,
  type DnsRecord,
  describeDomains,
  findAnyDomain,
  isId,
  listAllDomains,
  listDomainEvents,
  markDomainVerified,
  platformRecords,
  type SendingDomain,
  splitText,
} from '@posthorn/domain';
import type { Command } from 'commander';
import { unknownId } from '../failure.js';
import type { Operator } from '../operator.js';
import type { Run } from '../run.js';
import { assertWorkspace } from './workspace.js';

export function declareDomain(program: Command, run: Run): void {
  const domain = program.command('domain').description('the sending domains');

  domain
    .command('create')
    .description('claim a domain for a workspace; it must be verified before mail is sent from it')
    .requiredOption('--workspace <id>', 'whose domain it is')
    .requiredOption('--name <domain>', 'such as mail.example.com')
    .action((options) => run((operator) => create(operator, options)));

  domain
    .command('list')
    .description('all domains of all workspaces, newest first')
    .action(() => run(list));

  domain
    .command('show')
    .description('one domain with its DNS records, what the last check found of them, and what happened to it')
    .argument('<id>', 'of the domain')
    .action((id) => run((operator) => show(operator, id)));

  domain
    .command('platform')
    .description('the DNS records of the platform domain (PLATFORM_SENDER_DOMAIN), ready to paste')
    .action(() => run(showPlatform));

  domain
    .command('verify')
    .description("take a domain for verified on the operator's word, without asking DNS")
    .argument('<id>', 'of the domain')
    .action((id) => run((operator) => verify(operator, id)));
}

async function create(operator: Operator, { workspace, name }: { workspace: string; name: string }) {
  await assertWorkspace(operator, workspace);
  return viewDomain(await createDomain(operator, workspace, name));
}

async function list({ db }: Operator) {
  return (await listAllDomains(db)).map(viewDomain);
}

async function show(operator: Operator, id: string) {
  const domain = isId(id) ? await findAnyDomain(operator.db, id) : null;
  if (!domain) throw unknownId('domain', id);
  const [described] = await describeDomains(operator, [domain]);
  const events = await listDomainEvents(operator.db, id);
  return {
    ...viewDomain(domain),
    checked_at: domain.checkedAt,
    records: described?.records.map(({ type, name, priority, value, finding }) => ({
      status: finding.status,
      ...viewRecord({ type, name, priority, value }),
      found: finding.found.map(printable).join(' '),
      message: finding.failure ?? finding.message,
    })),
    events: events.map(({ type, detail, createdAt }) => ({ created_at: createdAt, type, detail })),
  };
}

/** What stands in a stranger's DNS must not command the operator's terminal. */
function printable(text: string): string {
  return JSON.stringify(text.replaceAll(/\p{Cc}/gu, '\ufffd'));
}

async function showPlatform(operator: Operator) {
  const records = await platformRecords(operator);
  return records.map(({ note, ...record }) => ({ ...viewRecord(record), note }));
}

/** A TXT value as zone files and panels take it: in quoted strings. */
function viewRecord({ type, name, priority, value }: Pick<DnsRecord, 'type' | 'name' | 'priority' | 'value'>) {
  const parts = splitText(value).map((part) => `"${part}"`);
  return { type, name, priority, value: type === 'TXT' ? parts.join(' ') : value };
}

async function verify(operator: Operator, id: string) {
  const domain = isId(id) ? await markDomainVerified(operator, id) : null;
  if (!domain) throw unknownId('domain', id);
  return viewDomain(domain);
}

function viewDomain({ id, workspaceId, name, status, createdAt, verifiedAt }: SendingDomain) {
  return { id, workspace_id: workspaceId, name, status, created_at: createdAt, verified_at: verifiedAt };
}
