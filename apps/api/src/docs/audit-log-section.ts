import { limits } from '@posthorn/domain/limits';
import type { Section } from './section.js';

export const auditLogSection: Section = {
  id: 'audit-log',
  title: 'Audit log',
  blocks: [
    {
      paragraph:
        '`GET /api/v1/audit-log` lists who changed API keys, domains, templates, webhooks, suppressions, members, invitations, and the plan, limits and settings of the workspace, and who erased a recipient or exported the workspace. Only owners can read it, with a session. Every such change has an entry, because both are stored in the same transaction. Suppressions that bounces, complaints and unsubscribing add are not in it. When the operator changes the limits of a whole plan, the entry belongs to no workspace, and only the operator can read it. A change that was refused has none, and neither has a request that changed nothing.',
    },
    {
      list: [
        '`actor` is the user or API key that made the change. For changes by the operator of the server, its `type` is `operator`. If the service made the change itself, for example after a scheduled domain check, its `type` is `system`. `label` is the email address or the name at that time, so the entry stays readable after the user or key is gone.',
        '`ip` is the IP address that the request came from. It is null for the operator and the service itself.',
        '`changes` has the fields that changed, with their values before (`from`) and after (`to`). For something new, every `from` is null; for something deleted, every `to` is null. Secrets are never in the log. For the bodies of a template, only their length is. A suppression is named by a short hash of its address, because the log is kept for longer than an address may be.',
        '`?action=`, `?actor=` and `?target=` select entries by what was done, by the id of the actor and by the id of what was changed. You can combine them.',
        `An entry is kept for ${limits.auditLogDays.max} days. Nobody can change or delete one through the API.`,
      ],
    },
    {
      paragraph:
        'The log does not contain what happens to emails: that is in the events of each email. A domain check appears only if it changed something: the domain was verified or withdrawn, or a new key signs its emails.',
    },
  ],
};
