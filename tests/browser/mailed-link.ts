import type { SmtpSink } from '@posthorn/testing';
import { until } from './until.js';

/** The link in the newest mail of the service to this address, or to that page. @throws Error when none comes */
export function mailedLink({ messages }: SmtpSink, wanted: string | RegExp): Promise<string> {
  const links = () =>
    messages.flatMap(({ envelope, parsed }) => {
      const link = parsed.text?.match(/http:\S+\?token=\S+/)?.[0];
      const isWanted = typeof wanted === 'string' ? envelope.to.includes(wanted) : wanted.test(link ?? '');
      return link && isWanted ? [link] : [];
    });
  return until(`a mail with a link: ${wanted}`, async () => links().at(-1));
}
