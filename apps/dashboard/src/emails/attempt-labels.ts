import type { Attempt, AttemptOutcome, AttemptPhase } from '@posthorn/contract';

const phases: Readonly<Record<AttemptPhase, string>> = {
  render: 'before a mail server was asked',
  connect: 'while connecting',
  envelope: 'at sender and recipients',
  data: 'in the midst of the message',
  reply: 'with the answer to the message',
};

const outcomes: Readonly<Record<AttemptOutcome, string>> = {
  sent: 'Handed over',
  partial: 'Some recipients were taken, others not',
  deferred: 'Put off',
  bounced: 'Refused for good',
  failed: 'Could not be sent',
  route_fault: 'No mail server could be reached',
  ambiguous: 'Nobody can know whether it was taken',
};

export function phaseLabel(phase: AttemptPhase): string {
  return phases[phase];
}

/** @param isLast whether it is the newest attempt, which may still be under way */
export function outcomeLabel({ outcome, ended_at: endedAt }: Attempt, isLast: boolean): string {
  if (outcome !== null) return outcomes[outcome];
  return endedAt === null && isLast ? 'Under way' : 'The worker stopped before it ended';
}
