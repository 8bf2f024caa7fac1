import { readPausedQueues } from '@posthorn/domain/delivery';
import {
  type EmailDetail,
  type EmailOrigin,
  findEmail,
  findEmailOrigin,
  findWorkspaceOfEmail,
} from '@posthorn/domain/emails';
import { getMode } from '@posthorn/domain/workspaces';
import { toTraceId } from '@posthorn/platform/traces';
import { isId } from '@posthorn/platform/values';
import type { Command } from 'commander';
import type { CliContext, RunAction } from '../command-line/context.js';
import { notFound } from '../command-line/errors.js';

export function addEmailCommands(email: Command, run: RunAction): void {
  email
    .command('show')
    .description('show the status, subject, recipients, attempts and events of an email, but not its bodies')
    .argument('<id>', 'ID of the email')
    .action((id) => run((ctx) => show(ctx, id)));
}

async function show({ db }: CliContext, id: string) {
  const workspace = isId(id) ? await findWorkspaceOfEmail(db, id) : null;
  const email = workspace && (await findEmail(db, workspace.id, id, { withContent: false }));
  if (!email) throw notFound('email', id);
  const origin = await findEmailOrigin(db, id);
  const { isServicePaused, workspaceIds } = await readPausedQueues(db);
  return {
    id,
    workspace_id: workspace.liveId,
    mode: getMode(workspace),
    queue_paused: isServicePaused || workspaceIds.includes(workspace.id),
    ...viewOrigin(origin),
    ...viewEmail(email),
  };
}

/** The ids to look for in the logs of the API, and in the traces. */
function viewOrigin(origin: EmailOrigin | null) {
  const { requestId = null, traceparent = null } = origin ?? {};
  return { request_id: requestId, trace_id: traceparent && toTraceId(traceparent) };
}

function viewEmail(email: EmailDetail) {
  return {
    status: email.status,
    from_: email.from,
    subject: email.subject,
    template_id: email.templateId,
    created_at: email.createdAt,
    scheduled_at: email.scheduledAt,
    next_attempt_at: email.nextAttemptAt,
    expires_at: email.expiresAt,
    parked: email.isParked,
    recipients: email.recipients.map(({ kind, address, status, smtpCode, smtpResponse }) => ({
      kind,
      address,
      status,
      smtp_code: smtpCode,
      smtp_response: smtpResponse,
    })),
    has_older_attempts: email.attemptsNextCursor !== null,
    has_older_events: email.eventsNextCursor !== null,
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
