import type { SmtpSink } from '@posthorn/testing';
import { until } from './until.js';

/** The link in the newest mail of the service to this address. @throws Error when none comes */
export function mailedLink({ messages }: SmtpSink, address: string): Promise<string> {
  return until(`a mail with a link to ${address}`, async () => {
    const mail = messages.findLast(({ envelope }) => envelope.to.includes(address));
    return mail?.parsed.text?.match(/http:\S+\?token=\S+/)?.[0];
  });
}
