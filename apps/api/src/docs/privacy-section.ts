import { limits } from '@posthorn/domain/limits';
import type { Section } from './section.js';

export const privacySection: Section = {
  id: 'privacy',
  title: 'Erasing and exporting data',
  blocks: [
    {
      paragraph:
        '`DELETE /api/v1/recipients/{address}` erases a person from all live and test mail of the workspace. Only owners can do this, with a session. The response is a 202 with an `erasure`, whether or not you have sent to the address. `GET /api/v1/erasures/{id}` shows the progress. This usually takes about three minutes, and it cannot be undone.',
    },
    {
      paragraph:
        'Case and display names do not matter, and both spellings of an internationalized domain count as one. `jane+news@example.com` is a different address from `jane@example.com`: erase both. Patterns are not supported: `*@example.com` erases only emails to exactly this address.',
    },
    {
      list: [
        'Every email that has the address in `to`, `cc`, `bcc` or `reply_to` loses its subject, bodies, variables, headers, attachments, tags and SMTP conversations, for all of its recipients. Its `subject` is then `(erased)`, `content_removed` is true, and `erased_at` is set. The message can no longer be read (409).',
        'The address becomes `erased-1@erased.invalid`, where the number is the position of the recipient in that email. This also applies to events, to the responses that repeated requests get, and to webhook deliveries that are still waiting. A webhook with `tags` no longer gets events of such an email that have not been tried yet, because the email has lost its tags. The recorded answers of your webhook receivers are erased too.',
        'Statuses, times, SMTP codes and counts stay. Other recipients keep their addresses and statuses.',
        'If the email has not been sent to this recipient yet, we cancel it for them and refund the send. If a mail server may already have it, the recipient ends as `failed` and nothing is refunded.',
        'An email that is being sent, or that other recipients are waiting for, is erased once it has its final status. `waiting_emails` counts such emails, and `waiting_email_ids` has the ids of the newest 100. To speed this up, cancel them.',
        'An email that you send to the address later is accepted as usual.',
        'We do not look for the address in the text of emails to other people. Receivers of your webhooks keep what they have received.',
      ],
    },
    {
      paragraph: `\`GET /api/v1/export\` downloads what is stored for the workspace (\`application/x-ndjson\`). Each line is one JSON object, as the API shows it, and \`object\` says what it is: the workspace, its usage, members, API keys, domains, audit log, suppressions, erasures, templates with their versions, webhooks, emails with their content, and events, live and test mail alike. Secrets, the bytes of attachments and the deliveries of webhooks are not included. The last line is \`{"object":"export_end","lines":N}\`, where N is the number of lines before it. A file without this line is not complete: request it again. A workspace can run ${limits.exports.max} exports at the same time on each API process; downloads of lists as CSV count too. A client that reads nothing for ${limits.exportStallSeconds.max} seconds is disconnected.`,
    },
  ],
};
