import type { DisabledBecause } from '@posthorn/contract';
import { layOutMail, quoteName } from '@posthorn/domain/accounts';
import { limits } from '@posthorn/domain/limits';
import type { Config } from '@posthorn/platform/config';
import type { Webhook } from './webhook.js';

/** What the owners get when the service has disabled a webhook. */
export function webhookDisabledMail(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { id, description }: Pick<Webhook, 'id' | 'description'>,
  because: DisabledBecause,
) {
  return layOutMail({
    subject: 'A webhook has been disabled',
    before: [
      `Your webhook ${description === '' ? id : quoteName(description)} gets no more events. ${REASONS[because]}`,
      `If you enable the webhook again, we send the events that it missed in the last ${limits.webhookEventDays.max} days:`,
    ],
    link: { label: 'Open the webhook', url: `${publicUrl}/webhooks/${id}` },
    after: [],
  });
}

const REASONS: Readonly<Record<DisabledBecause, string>> = {
  gone: 'Its server returned 410 Gone.',
  failing: `Every request to it has failed for ${limits.webhookFailingDays.max} days.`,
};
