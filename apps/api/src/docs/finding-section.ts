import { limits, MIN_SEARCH_CHARACTERS } from '@posthorn/domain/limits';
import { exportColumns } from '../emails/list-emails.js';
import type { Section } from './section.js';

/** @param baseUrl without a trailing slash */
export function findingSection(baseUrl: string): Section {
  return {
    id: 'finding-emails',
    title: 'Finding emails',
    blocks: [
      { paragraph: '`GET /api/v1/emails` takes these parameters, alone or combined. An email must match all of them:' },
      {
        head: ['Parameter', 'Emails that match'],
        rows: [
          {
            cells: [
              '`q`',
              `Those that contain this text in a recipient or the subject. Case is ignored. The text must be ${MIN_SEARCH_CHARACTERS} to ${limits.searchText.max} characters long. With a key that does not have \`emails:read\`, only recipients are searched. Without \`created_after\`, the search goes back ${limits.searchDays.max} days from \`created_before\`, or from now. With \`message_id\` or \`idempotency_key\`, there is no such limit.`,
            ],
          },
          {
            cells: [
              '`message_id`',
              'The email with this Message-ID, with or without angle brackets. An email id works as well.',
            ],
          },
          {
            cells: [
              '`idempotency_key`',
              `The email that was accepted with this Idempotency-Key in the last ${limits.idempotencyHours.max} hours, or every email in that batch.`,
            ],
          },
          { cells: ['`mode`', '`test` for [test mail](#test-mode), with a session or a test key.'] },
          { cells: ['`status`', 'Those in this [state](#states).'] },
          { cells: ['`to`', 'Those with this address in `to`, `cc` or `bcc`. Case is ignored.'] },
          { cells: ['`from_`', 'Those with this sender address.'] },
          { cells: ['`tag`', 'Those with this tag, as `name:value`.'] },
          { cells: ['`template_id`', 'Those from this template.'] },
          {
            cells: [
              '`created_after`, `created_before`',
              'Those accepted after or before this time (RFC 3339 with an offset).',
            ],
          },
        ],
      },
      {
        paragraph:
          'A search with `q` spends only a short time on each page. If there are many emails and few matches, a page can therefore be short or even empty although more matches follow. In that case, `has_more` is true. Continue with `next_cursor` until it is null. A shorter period and more filters make a search faster.',
      },
      {
        request: {
          method: 'GET',
          url: `${baseUrl}/api/v1/emails?q=order+1001`,
          credential: 'key',
          response: 'json',
        },
      },
      {
        paragraph: `\`format=csv\` returns all matching emails as a file, with the columns ${exportColumns.map((column) => `\`${column}\``).join(', ')}. It takes the same parameters, except \`limit\`, \`after\` and \`before\`. Recipients and tags are separated by semicolons. \`to\` does not include \`cc\` or \`bcc\`. A cell that a spreadsheet could run as a formula begins with an apostrophe. If the connection is closed before the end, the file is not complete: request it again. A workspace can run ${limits.exports.max} exports at the same time on each API process, including exports of the [whole workspace](#privacy). A client that reads nothing for ${limits.exportStallSeconds.max} seconds is disconnected.`,
      },
    ],
  };
}
