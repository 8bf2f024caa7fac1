import { type EmailDetail, findEmail, findWorkspaceOfEmail, isId } from '@posthorn/domain';
import type { Command } from 'commander';
import { unknownId } from '../failure.js';
import type { Operator } from '../operator.js';
import type { Run } from '../run.js';

export function declareEmail(program: Command, run: Run): void {
  const email = program.command('email').description('the accepted emails');
  email
    .command('show')
    .description('what became of an email: its state, recipients, attempts and events, never its content')
    .argument('<id>', 'of the email')
    .action((id) => run((operator) => show(operator, id)));
}

async function show({ db }: Operator, id: string) {
  const workspaceId = isId(id) ? await findWorkspaceOfEmail(db, id) : null;
  const email = workspaceId === null ? null : await findEmail(db, workspaceId, id, { withContent: false });
  if (!email) throw unknownId('email', id);
  return { id, workspace_id: workspaceId, ...viewFate(email) };
}

function viewFate(email: EmailDetail) {
  return {
    status: email.status,
    from_: email.from,
    subject: email.subject,
    template_id: email.templateId,
    created_at: email.createdAt,
    scheduled_at: email.scheduledAt,
    recipients: email.recipients.map(({ kind, address, status, smtpCode, smtpResponse }) => ({
      kind,
      address,
      status,
      smtp_code: smtpCode,
      smtp_response: smtpResponse,
    })),
    attempts: email.attempts.map(({ attempt, route, phase, outcome, startedAt, endedAt, conversation }) => ({
      attempt,
      route,
      phase,
      outcome,
      started_at: startedAt,
      ended_at: endedAt,
      conversation,
    })),
    events: email.events.map(({ createdAt, type, recipient, detail }) => ({
      created_at: createdAt,
      type,
      recipient,
      detail,
    })),
  };
}
