import { type SmtpSink, until } from '@posthorn/testing';

/**
 * The link in the newest email from the service.
 * @param wanted the address that it was sent to, or a pattern for the link
 * @param page the page that the link opens, for addresses that get several kinds of links
 * @throws Error if no such email arrives
 */
export function mailedLink({ messages }: SmtpSink, wanted: string | RegExp, page = ''): Promise<string> {
  const links = () =>
    messages.flatMap(({ envelope, parsed }) => {
      const link = parsed.text?.match(/http:\S+\?token=\S+/)?.[0];
      const isWanted = typeof wanted === 'string' ? envelope.to.includes(wanted) : wanted.test(link ?? '');
      return link?.includes(`${page}?token=`) && isWanted ? [link] : [];
    });
  return until(`an email with a link for ${wanted} arrives`, async () => links().at(-1));
}
