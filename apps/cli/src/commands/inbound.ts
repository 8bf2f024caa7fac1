import { findOperatorMail, listOperatorMail, type OperatorMail } from '@posthorn/domain/bounces';
import { readMessage } from '@posthorn/feedback';
import { isId } from '@posthorn/platform/values';
import type { Command } from 'commander';
import type { CliContext, RunAction } from '../command-line/context.js';
import { notFound } from '../command-line/errors.js';
import { parsePageSize } from '../command-line/options.js';
import { pick } from '../command-line/print.js';

const MAX_LISTED = 100;

export function addInboundCommands(inbound: Command, run: RunAction): void {
  inbound
    .command('list')
    .description('list mail to postmaster, abuse and fbl at the bounce hosts that is about no email, newest first')
    .option('--limit <count>', `maximum number to list, at most ${MAX_LISTED}`, parsePageSize, MAX_LISTED)
    .option('--after <id>', 'list only mail that is older than the one with this ID')
    .action((options) => run((ctx) => list(ctx, options)));

  inbound
    .command('show')
    .description('show such a mail, for example to confirm the enrolment with a feedback loop')
    .argument('<id>', 'ID of the mail')
    .action((id) => run((ctx) => show(ctx, id)));
}

async function list({ db }: CliContext, { limit, after = null }: { limit: number; after?: string | null }) {
  if (after !== null && !isId(after)) throw notFound('mail', after);
  const { rows } = await listOperatorMail(db, { limit: Math.min(limit, MAX_LISTED), after, before: null });
  return Promise.all(rows.map(async (mail) => (await view(mail)).summary));
}

async function show({ db }: CliContext, id: string) {
  const mail = isId(id) ? await findOperatorMail(db, id) : null;
  if (!mail) throw notFound('mail', id);
  const { summary, text } = await view(mail);
  return { ...summary, truncated: mail.raw.length < mail.size, text, source: mail.raw.toString('utf8') };
}

async function view(mail: OperatorMail) {
  const { from, subject, text } = await readMessage(mail.raw);
  return {
    summary: { ...pick(mail, ['id', 'mailbox', 'receivedAt', 'expiresAt', 'peer', 'size']), from, subject },
    text,
  };
}
