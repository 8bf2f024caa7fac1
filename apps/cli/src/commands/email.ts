import { readPausedQueues } from '@posthorn/domain/delivery';
import {
  type EmailDetail,
  type EmailOrigin,
  explainEmail,
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
import { pick } from '../command-line/print.js';

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
    workspaceId: workspace.liveId,
    mode: getMode(workspace),
    queuePaused: isServicePaused || workspaceIds.includes(workspace.id),
    ...viewOrigin(origin),
    ...viewEmail(email),
  };
}

/** The ids to look for in the logs of the API, and in the traces. */
function viewOrigin(origin: EmailOrigin | null) {
  const { requestId = null, traceparent = null } = origin ?? {};
  return { requestId, traceId: traceparent && toTraceId(traceparent) };
}

function viewEmail(email: EmailDetail) {
  return {
    status: email.status,
    explanation: explainEmail(email, new Date()),
    from_: email.from,
    ...pick(email, ['subject', 'templateId', 'createdAt', 'scheduledAt', 'nextAttemptAt', 'expiresAt']),
    parked: email.isParked,
    recipients: email.recipients.map((one) => pick(one, ['kind', 'address', 'status', 'smtpCode', 'smtpResponse'])),
    hasOlderAttempts: email.attemptsNextCursor !== null,
    hasOlderEvents: email.eventsNextCursor !== null,
    attempts: email.attempts.map((one) =>
      pick(one, ['attempt', 'route', 'phase', 'outcome', 'startedAt', 'endedAt', 'conversation']),
    ),
    events: email.events.map((one) => pick(one, ['createdAt', 'type', 'recipient', 'detail'])),
  };
}
