import {
  type ClaimedEmail,
  type ClaimedRecipient,
  listPendingRecipients,
  type RecipientResult,
} from '@posthorn/domain/delivery';
import { findSimulatorEnding, type SimulatorEnding } from '@posthorn/domain/format';
import type { Config } from '@posthorn/platform/config';
import { toResult } from './recipient-results.js';

/** How often the simulator's address for deferred mail defers an email. */
const SIMULATED_DEFERRALS = 2;

const NOT_SENT = { code: 250, text: '2.0.0 Test mode: the message was built and signed, but not sent' };

/**
 * The results of the recipients whose mail stays here: every recipient of test mail, and addresses of the simulator.
 * All others need a mail server.
 */
export function listLocalResults(
  { simulatorDomain, retryScheduleSeconds }: Pick<Config, 'simulatorDomain' | 'retryScheduleSeconds'>,
  email: ClaimedEmail,
): RecipientResult[] {
  if (!email.isTest && !email.isSimulated) return [];
  // With a shorter retry schedule, the last attempt would fail.
  const isDeferred = email.deferrals < Math.min(SIMULATED_DEFERRALS, retryScheduleSeconds.length);
  return listPendingRecipients(email).flatMap((recipient) => {
    const ending = findSimulatorEnding(recipient.address, simulatorDomain);
    if (ending === null) return email.isTest ? [toResult(recipient, 'sent', NOT_SENT)] : [];
    return [{ ...simulate(recipient, ending === 'unknown' ? 'delivered' : ending, isDeferred), isSimulated: true }];
  });
}

function simulate(recipient: ClaimedRecipient, ending: SimulatorEnding, isDeferred: boolean): RecipientResult {
  switch (ending) {
    case 'delivered':
    case 'complained':
      return toResult(recipient, ending, { code: 250, text: '2.0.0 Simulated: accepted' });
    case 'bounced':
      return toResult(recipient, 'bounced', { code: 550, text: '5.1.1 Simulated: the mailbox does not exist' });
    case 'deferred':
      return isDeferred
        ? toResult(recipient, 'deferred', { code: 451, text: '4.7.1 Simulated: try again later' })
        : toResult(recipient, 'sent', { code: 250, text: '2.0.0 Simulated: accepted' });
    case 'suppressed':
      return toResult(recipient, 'suppressed', {
        code: null,
        text: 'Simulated: the address is on the suppression list',
      });
    default:
      return ending satisfies never;
  }
}
