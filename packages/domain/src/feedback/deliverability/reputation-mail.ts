import { layOutMail, quoteName } from '@posthorn/domain/accounts';
import type { Config } from '@posthorn/platform/config';
import type { ReputationNotification } from './reputation-store.js';

/** What the owners get when their workspace was warned or paused. */
export function reputationMail(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { kind, reason, workspaceName }: ReputationNotification,
) {
  const name = quoteName(workspaceName);
  const { subject, before, after } = TEXTS[kind];
  return layOutMail({
    subject,
    before: [before(name), reason],
    link: { label: 'See what bounced', url: `${publicUrl}/deliverability` },
    after: [after],
  });
}

const TEXTS = {
  warned: {
    subject: 'Too many of your emails bounce or are marked as spam',
    before: (name: string) => `The workspace ${name} is close to being paused.`,
    after:
      'Send only to people who asked for your emails, and remove addresses that do not exist. If the rate rises further, sending is paused.',
  },
  paused: {
    subject: 'Sending is paused',
    before: (name: string) =>
      `New emails from the workspace ${name} are refused. Emails that were already accepted are still sent.`,
    after: 'Fix the cause, then ask the operator of this service to resume the workspace.',
  },
} as const;
