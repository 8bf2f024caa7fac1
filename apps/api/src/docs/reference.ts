import { type EmailStatus, limits, plans } from '@posthorn/domain';
import type { Access, Route } from '../route.js';
import { errorSection } from './errors.js';
import type { Section } from './section.js';

/** The tables, each made from the source of what it lists. @param baseUrl without a trailing slash */
export function reference(routes: readonly Route[], baseUrl: string): Section[] {
  return [endpoints(routes, baseUrl), states, errorSection, limitSection, planSection];
}

const credentials: Readonly<Record<Exclude<Access, `${string}:${string}`>, string>> = {
  public: 'anybody',
  any: 'any key or session',
  session: 'session',
  owner: "owner's session",
};

function endpoints(routes: readonly Route[], baseUrl: string): Section {
  return {
    id: 'endpoints',
    title: 'Endpoints',
    blocks: [
      { paragraph: `For programs: [OpenAPI 3.1](${baseUrl}/openapi.json).` },
      {
        head: ['Method', 'Path', 'What it does', 'Who may call it'],
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

/** `/templates/:id` as people and OpenAPI write it: `/templates/{id}` */
export function withBraces(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function describeAccess({ access, ownersOnly }: Route): string {
  if (access in credentials) return credentials[access as keyof typeof credentials];
  return `key with \`${access}\`, or ${ownersOnly ? "owner's " : ''}session`;
}

const statuses: Readonly<Record<EmailStatus, string>> = {
  scheduled: 'Waits for `scheduled_at`.',
  queued: 'Accepted, waits to be sent.',
  sending: 'Is being handed over right now.',
  sent: 'The next mail server took responsibility for every recipient that did not bounce.',
  deferred: 'A server said "not now"; it is tried again at `next_attempt_at`.',
  bounced: 'Every recipient was refused for good.',
  failed: 'Given up, or it could not be sent; an event says why.',
  canceled: 'Withdrawn before it was sent.',
  suppressed: 'Not used yet: no recipient was left that may be written to.',
  delivered: "Not used yet: the recipient's server confirmed it.",
  complained: 'Not used yet: a recipient marked it as spam.',
};

const states: Section = {
  id: 'states',
  title: 'States of an email',
  blocks: [
    { paragraph: 'Every recipient has a state of its own; that of the email follows from them.' },
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
        'Beyond a limit a request is refused, and `detail` names it. A whole request body may have 10,000,000 bytes, unless the operator says otherwise.',
    },
    {
      head: ['Limit', 'For'],
      rows: Object.values(limits).map(({ max, unit, of }) => ({ cells: [`${count(max)} ${unit}`, of] })),
    },
  ],
};

export const planSection: Section = {
  id: 'plans',
  title: 'Plans',
  blocks: [
    {
      paragraph:
        'The operator may set other numbers for a plan or a workspace; `GET /billing/usage` shows those that hold.',
    },
    {
      head: ['Plan', 'Price a month', 'Sends a month', 'Sends a day', 'Beyond'],
      rows: Object.values(plans).map(({ name, priceUsd, monthlySends, dailySends, overage }) => ({
        cells: [
          name,
          `${priceUsd} USD`,
          count(monthlySends),
          dailySends === null ? 'no cap' : count(dailySends),
          overage === null ? 'refused' : `${overage.priceUsd} USD per ${count(overage.per)} sends`,
        ],
      })),
    },
  ],
};

function count(value: number): string {
  return value.toLocaleString('en-US');
}
