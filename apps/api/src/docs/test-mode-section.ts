import { simulatorEndings } from '@posthorn/domain/format';
import type { Section } from './section.js';

const OUTCOMES: Record<(typeof simulatorEndings)[number], string> = {
  delivered: 'The email ends as `delivered`.',
  bounced: 'The email ends as `bounced`, with a 550.',
  deferred:
    'Two attempts end with a 451. The third one is accepted, and the email ends as `sent`. If `RETRY_SCHEDULE` has only one entry, there is only one such attempt.',
  complained: 'The email is delivered, and then ends as `complained`.',
  suppressed: 'The email ends as `suppressed`. The 202 has the warning `suppressed_recipients`.',
};

export const testModeSection: Section = {
  id: 'test-mode',
  title: 'Test mode',
  blocks: [
    {
      paragraph:
        'A key with `"mode": "test"` begins with `ph_test_`. Its emails go through everything that live mail goes through: validation, templates, sender selection, attachments, DKIM signing, retries and events. But they are never sent to a mail server. They end as `sent`, and nobody gets them.',
    },
    {
      list: [
        '`GET /api/v1/emails/{id}/message` returns the whole message (`message/rfc822`), as a mail server would get it. The key needs `emails:read`. With a session, this also works for live mail, for as long as its content is kept. A key that asks for live mail gets a 403 ([missing_scope](#missing_scope)). The message is built again from what is stored, so it is signed with the current DKIM key of the domain. You get a 409 if the content has been deleted, or if the sending domain has been deleted along with its signing key.',
        'A test key can read and list only test mail, and a live key only live mail. To either key, emails in the other mode do not exist. A session sees live mail in its lists unless it asks for `mode=test`.',
        'Test mail does not count toward the caps and is not stopped by them, but the rate limit applies. Accounts whose address is not confirmed yet may send test mail to any address.',
        'The two modes have separate idempotency keys: using the same key in both creates two emails.',
        'Templates and domains are shared. A test key with `templates:write` or `domains:write` can change the ones that live mail uses.',
      ],
    },
    {
      paragraph:
        'To see what your program does when an email bounces, send to a simulator address, in either mode. The domain is `SIMULATOR_DOMAIN`, which is `simulator.` followed by the platform domain unless the operator has chosen another one. Mail for these addresses is never sent to a mail server either. In live mode, it is counted like any other mail, and other recipients of the same email get it as usual.',
    },
    {
      head: ['Address', 'What happens'],
      rows: simulatorEndings.map((ending) => ({ cells: [`\`${ending}@\``, OUTCOMES[ending]] })),
    },
    {
      paragraph:
        'The local part may have a label, as in `bounced+order7@`, so that you can tell emails apart. Any other local part at this domain gets a 422.',
    },
  ],
};
