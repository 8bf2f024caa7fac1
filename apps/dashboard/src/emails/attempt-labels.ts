import type { Attempt, AttemptOutcome, AttemptPhase } from '@posthorn/contract';

const phases: Readonly<Record<AttemptPhase, string>> = {
  render: 'before contacting a mail server',
  connect: 'while connecting',
  envelope: 'while sending the envelope',
  data: 'while sending the message',
  reply: 'after the whole message was sent',
};

const outcomes: Readonly<Record<AttemptOutcome, string>> = {
  sent: 'Sent',
  partial: 'Sent to some recipients',
  deferred: 'Deferred',
  bounced: 'Bounced',
  failed: 'Failed',
  route_fault: 'No mail server could be used',
  ambiguous: 'Unknown whether it was accepted',
};

export function phaseLabel(phase: AttemptPhase): string {
  return phases[phase];
}

/** @param isLast whether this is the newest attempt, the only one that may still be running */
export function outcomeLabel({ outcome, ended_at: endedAt }: Attempt, isLast: boolean): string {
  if (outcome !== null) return outcomes[outcome];
  return endedAt === null && isLast ? 'In progress' : 'The worker stopped before finishing';
}
