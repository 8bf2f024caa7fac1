import { bounceClasses } from '@posthorn/contract';
import { limits, MIN_COMPLAINTS_FOR_RATE, MIN_SENT_FOR_RATE } from '@posthorn/domain/limits';
import type { Section } from './section.js';

const { bounceWarning, bouncePause, complaintWarning, complaintPause, sendingStatsDays } = limits;

export const deliverabilitySection: Section = {
  id: 'deliverability',
  title: 'Deliverability',
  blocks: [
    {
      paragraph:
        '`GET /api/v1/deliverability` reports how much of your live mail bounces or is marked as spam: over the last 24 hours, 7 days and 30 days, for the workspace and for each sending domain. It needs the scope `emails:read`. Test mail and addresses of the simulator are not counted. A new bounce is counted within seconds.',
    },
    {
      list: [
        '`sent` counts recipients whose mail server took the message or refused it. A recipient counts once per email.',
        '`bounced` counts those that were refused, at once or later. `hard_bounced` are the ones whose mailbox does not exist or is no longer used.',
        '`complained` counts people who marked an email as spam, once even if they did so several times, and complaints that hide the person. Not every mailbox provider reports this; Gmail does not.',
        `\`bounce_rate\` and \`complaint_rate\` are between 0 and 1. They are null if \`sent\` is less than ${MIN_SENT_FOR_RATE}.`,
        '`bounces` counts the bounces of the last 7 days by class.',
      ],
    },
    { paragraph: 'The rates of the last 7 days have limits:' },
    {
      head: ['', 'The owners are warned', 'The workspace is paused'],
      rows: [
        { cells: ['Bounces', `from ${bounceWarning.max}%`, `from ${bouncePause.max}%`] },
        {
          cells: [
            `Complaints, if there are at least ${MIN_COMPLAINTS_FOR_RATE}`,
            `from ${complaintWarning.max}%`,
            `from ${complaintPause.max}%`,
          ],
        },
      ],
    },
    {
      paragraph:
        'The owners are also warned if the rates of one sending domain reach a limit, because mailbox providers look at each domain by itself. Only the rates of the whole workspace pause it.',
    },
    {
      paragraph:
        'While a workspace is paused, new live mail is refused with [workspace_paused](#workspace_paused), and so are checks and scheduled emails. Test mail is accepted. Emails that were accepted before are still sent, and repeating a request with its `Idempotency-Key` still returns its response. The owners get an email, and `workspace.paused` in `GET /auth/session` says since when and why. Only the operator can resume the workspace. After that, only what happens in later hours can pause it again.',
    },
    {
      paragraph: `\`GET /api/v1/bounces\` lists the recipients that bounced, newest first, for ${sendingStatsDays.max} days or until their email is deleted. \`class\` returns only one class: ${bounceClasses.map((name) => `\`${name}\``).join(', ')}.`,
    },
  ],
};
