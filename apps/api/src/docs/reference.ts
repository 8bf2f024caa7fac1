import type { EmailStatus } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import { plans } from '@posthorn/domain/workspaces';
import { formatCount } from '@posthorn/platform/values';
import type { Access } from '../routing/access.js';
import type { Route } from '../routing/route.js';
import { accessSection } from './access-section.js';
import { errorSection } from './errors.js';
import type { Section } from './section.js';
import { withBraces } from './with-braces.js';

/** The tables, generated from the code that they describe. @param baseUrl without a trailing slash */
export function reference(routes: readonly Route[], baseUrl: string): Section[] {
  return [endpoints(routes, baseUrl), accessSection(routes), states, errorSection, limitSection, planSection];
}

const credentials: Readonly<Record<Extract<Access, string>, string>> = {
  public: 'anyone',
  any: 'any key or session',
  session: 'session',
  owner: "owner's session",
};

function endpoints(routes: readonly Route[], baseUrl: string): Section {
  return {
    id: 'endpoints',
    title: 'Endpoints',
    blocks: [
      {
        paragraph: `The endpoints are also described in an [OpenAPI 3.1](${baseUrl}/openapi.json) document.`,
      },
      {
        head: ['Method', 'Path', 'Description', 'Access'],
        rows: routes.map((route) => ({
          cells: [
            `\`${route.method.toUpperCase()}\``,
            `\`${withBraces(route.path)}\``,
            route.summary,
            describeAccess(route),
          ],
        })),
      },
    ],
  };
}

function describeAccess({ access, ownersOnly }: Route): string {
  if (typeof access === 'string') return credentials[access];
  return `key with ${access.map((scope) => `\`${scope}\``).join(' or ')}, or ${ownersOnly ? "owner's " : ''}session`;
}

const statuses: Readonly<Record<EmailStatus, string>> = {
  scheduled: 'Waiting for `scheduled_at`.',
  queued: 'Accepted and waiting to be sent.',
  sending: 'Being handed to a mail server right now.',
  sent: 'The next mail server accepted it for every recipient that did not bounce.',
  deferred: 'A mail server refused it temporarily or could not be reached. The next attempt is at `next_attempt_at`.',
  bounced: 'Every recipient that was not suppressed was refused permanently.',
  expired: 'No mail server is known to have accepted it before `expires_at`. It will not be sent.',
  failed: 'It could not be sent, or delivery took too long. An event says why.',
  canceled: 'Canceled before it was sent.',
  suppressed: 'Every recipient is [suppressed](#suppressions).',
  delivered: "A recipient's server has confirmed the delivery. Most servers do not.",
  complained: 'A recipient marked the email as spam.',
};

const states: Section = {
  id: 'states',
  title: 'Email statuses',
  blocks: [
    {
      paragraph:
        'Every recipient has its own status. The status of the email is derived from the statuses of its recipients.',
    },
    {
      head: ['Status', 'Meaning'],
      rows: Object.entries(statuses).map(([status, meaning]) => ({ cells: [`\`${status}\``, meaning] })),
    },
  ],
};

export const limitSection: Section = {
  id: 'limits',
  title: 'Limits',
  blocks: [
    {
      paragraph:
        'A request over a limit is refused, and `detail` names the limit. A request body can be up to 10,000,000 bytes long, unless the operator sets another limit.',
    },
    {
      head: ['Limit', 'Applies to'],
      rows: Object.values(limits).map(({ max, unit, of }) => ({ cells: [`${formatCount(max)} ${unit}`, of] })),
    },
  ],
};

export const planSection: Section = {
  id: 'plans',
  title: 'Plans',
  blocks: [
    {
      paragraph:
        'The operator can set different numbers for a plan or a workspace. `GET /billing/usage` returns the ones that apply to you.',
    },
    {
      head: ['Plan', 'Price per month', 'Sends per month', 'Sends per day', 'Beyond the monthly sends'],
      rows: Object.values(plans).map(({ name, priceUsd, monthlySends, dailySends, overage }) => ({
        cells: [
          name,
          `${priceUsd} USD`,
          formatCount(monthlySends),
          dailySends === null ? 'no cap' : formatCount(dailySends),
          overage === null ? 'refused' : `${overage.priceUsd} USD per ${formatCount(overage.per)} sends`,
        ],
      })),
    },
  ],
};
