import { suppressionReasons } from '@posthorn/contract';
import { bouncePolicies, REMEMBERED_DAYS } from '@posthorn/domain/suppressions';
import { exportColumns } from '../suppressions/suppression-csv.js';
import type { Section } from './section.js';

const ORDINALS = ['first', 'second', 'third', 'fourth'];
const policies = Object.entries(bouncePolicies);
const AT_ONCE = policies.filter(([, { bounces }]) => bounces === 1).map(([name]) => name);
const REPEATED = policies.filter(([, { bounces }]) => bounces > 1);

const REASONS: Readonly<Record<(typeof suppressionReasons)[number], string>> = {
  hard_bounce: 'Mail to the address bounced permanently, or repeatedly.',
  complaint: 'The recipient marked an email as spam.',
  unsubscribe: 'The recipient does not want mail of a topic, or of any topic.',
  manual:
    'You added the address yourself, with `POST /api/v1/suppressions`, in the dashboard or by an import. Or the operator of this service has suppressed it for all workspaces; such a suppression is not in your list.',
};

/** @param baseUrl without a trailing slash */
export function suppressionsSection(baseUrl: string): Section {
  return {
    id: 'suppressions',
    title: 'Suppressions',
    blocks: [
      {
        paragraph:
          'A suppression is an address that gets no more mail from your workspace, with a `reason`. Mail servers watch how often you write to people who do not exist or do not want your mail, and they then distrust all of your mail. So Posthorn stops by itself:',
      },
      {
        head: ['Reason', 'Meaning'],
        rows: suppressionReasons.map((reason) => ({ cells: [`\`${reason}\``, REASONS[reason]] })),
      },
      {
        paragraph:
          'You can still send to a suppressed address. The request is accepted with the warning `suppressed_recipients`, the recipient ends as `suppressed`, and the other recipients get the email. Suppressed recipients count as sends at first; the sends are refunded when the worker skips them. The worker looks right before it sends, so a suppression that is added after the request still applies. `POST /api/v1/emails/check` says beforehand which recipients are suppressed, and why.',
      },
      {
        paragraph:
          'Not every bounce suppresses the address. The `bounce_class` of the recipient says why the mail server refused the email:',
      },
      {
        list: [
          `${AT_ONCE.map((name) => `\`${name}\``).join(' and ')} suppress the address at once.`,
          ...REPEATED.map(
            ([name, { bounces, hoursApart }]) =>
              `\`${name}\` suppresses it at the ${ORDINALS[bounces - 1]} bounce within ${REMEMBERED_DAYS} days. A bounce less than ${hoursApart} hours after the last one that counted does not count.`,
          ),
          'The other classes say nothing about the address, so they never suppress it.',
        ],
      },
      {
        paragraph:
          'A suppression with a `topic` stops only mail of that topic. Without one, it stops all mail, except that an `unsubscribe` stops only mail that has a topic. Mail without a topic, such as a receipt or a password reset, still reaches people who have unsubscribed.',
      },
      {
        request: {
          method: 'POST',
          url: `${baseUrl}/api/v1/suppressions`,
          credential: 'key',
          body: { address: 'jane@example.com' },
          response: 'json',
        },
      },
      {
        list: [
          '`POST /api/v1/suppressions` adds an address, for one topic if you name one. The reason is always `manual`. If the suppression exists already, nothing changes, and you get the existing one, with a `201` as well.',
          '`GET /api/v1/suppressions` lists them, newest first. It has the filters `reason`, `topic` and `address`. One address can have several suppressions.',
          '`DELETE /api/v1/suppressions/{id}` removes one. The address gets mail again if it has no other. To remove a `complaint`, say why the recipient wants mail again, such as `?because=they+signed+up+again`. The [audit log](#audit-log) keeps the reason.',
        ],
      },
      {
        paragraph: `\`GET /api/v1/suppressions?format=csv\` exports all suppressions, or those that match the filters, with the columns ${exportColumns.map((column) => `\`${column}\``).join(', ')}. \`POST /api/v1/suppressions/import\` reads such a file, with \`Content-Type: text/csv\`. The first line names the columns: \`address\` is required, \`reason\` and \`topic\` are optional, and \`created_at\` is ignored. The reason is \`manual\` if its cell is empty, and an empty topic means all mail. The file must be UTF-8, with commas between the cells. Either all rows are imported or none: if some are faulty, the response is a 422 that names their lines. Suppressions that you already have stay as they are. \`rows\` in the response counts the rows of the file, and \`added\` those that are new. A cell that a spreadsheet would read as a formula begins with an apostrophe, which an import removes again. To move from another service, import its suppression list before you send.`,
      },
      {
        paragraph:
          'Suppressions apply to live mail only. Test keys get [missing_scope](#missing_scope). In test mail, only the address `suppressed@` of the [simulator](#test-mode) is suppressed. After a recipient was [erased](#privacy), the `address` of their suppressions is null, and only a hash of it is kept, so they still get no mail. Such suppressions are not in CSV files, and the filter `address` does not find them.',
      },
    ],
  };
}
