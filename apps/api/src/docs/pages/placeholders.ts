import { writeJson } from '@posthorn/code-samples';
import { bounceClasses, eventTypes, scopes } from '@posthorn/contract';
import { reservedHeaders } from '@posthorn/domain/format';
import {
  limits,
  MIN_BOUNCING_DOMAINS,
  MIN_COMPLAINTS_FOR_RATE,
  MIN_SEARCH_CHARACTERS,
  MIN_SENT_FOR_RATE,
} from '@posthorn/domain/limits';
import { plans, toAllowance } from '@posthorn/domain/plans';
import { bouncePolicies, REMEMBERED_DAYS, recipientBounceClasses } from '@posthorn/domain/suppressions';
import { formatWindow } from '@posthorn/domain/throttles';
import { webhookRetryPauses } from '@posthorn/domain/webhooks';
import { formatBytes, formatCount } from '@posthorn/platform/values';
import { exportColumns as emailColumns } from '../../emails/list-emails.js';
import { problems } from '../../http/http-errors.js';
import { getExample, toOpenApiPath } from '../../openapi/openapi-document.js';
import { type Access, contentOfEmails, keysThat, listScopes } from '../../routing/access.js';
import type { Route } from '../../routing/route.js';
import { exportColumns as suppressionColumns } from '../../suppressions/suppression-csv.js';
import { TOPIC_EXPECTED } from '../../validation/field-schemas.js';

export type Values = { readonly [name: string]: string | Values };

/** Replaces each `${name}`. @param file names the text in errors */
export function fillPlaceholders(text: string, values: Values, file: string): string {
  return text.replace(/\$\{([\w.]+)\}/g, (placeholder, path: string) => {
    let value: string | Values | undefined = values;
    for (const name of path.split('.')) value = typeof value === 'object' ? value[name] : undefined;
    if (typeof value !== 'string') throw new Error(`${file} has the unknown placeholder ${placeholder}.`);
    return value;
  });
}

/** What docs/api takes from the code. Tables and lists are Markdown. */
export function buildValues(routes: readonly Route[]): Values {
  return {
    limits: mapValues(limits, ({ max }) => formatCount(max)),
    windows: { webhookRetryAfterSeconds: formatWindow(limits.webhookRetryAfterSeconds.max) },
    statuses: mapValues(problems, ({ status }) => String(status)),
    examples: { sendEmail: writeJson(getExample('sendEmail').response) },
    topic: TOPIC_EXPECTED,
    minSearchCharacters: String(MIN_SEARCH_CHARACTERS),
    minSentForRate: String(MIN_SENT_FOR_RATE),
    minComplaintsForRate: String(MIN_COMPLAINTS_FOR_RATE),
    minBouncingDomains: String(MIN_BOUNCING_DOMAINS),
    emailColumns: listCode(emailColumns),
    suppressionColumns: listCode(suppressionColumns),
    eventTypes: listCode(eventTypes),
    bounceClasses: listCode(bounceClasses),
    countedBounceClasses: listCode(recipientBounceClasses),
    bouncePolicies: listBouncePolicies(),
    webhookRetryPauses: new Intl.ListFormat('en').format(webhookRetryPauses.map(formatWindow)),
    tables: {
      reservedHeaders: writeTable(
        ['Header', 'Why it is refused', 'Source'],
        reservedHeaders.map(({ name, fault, source }) => [`\`${name}\``, `It ${fault}.`, source]),
      ),
      endpoints: writeTable(
        ['Method', 'Path', 'Description', 'Access'],
        routes.map((route) => [
          `\`${route.method.toUpperCase()}\``,
          `\`${toOpenApiPath(route.path)}\``,
          route.summary,
          describeAccess(route),
        ]),
      ),
      scopes: writeScopes(routes),
      limits: writeTable(
        ['Limit', 'Applies to'],
        Object.values(limits).map(({ max, unit, of }) => [`${formatCount(max)} ${unit}`, of]),
      ),
      plans: writePlans(),
    },
  };
}

function mapValues<Value>(values: Readonly<Record<string, Value>>, map: (value: Value) => string): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

function listCode(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function writeTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const ORDINALS = ['first', 'second', 'third', 'fourth'];

function listBouncePolicies(): string {
  const policies = Object.entries(bouncePolicies);
  const atOnce = policies.filter(([, { bounces }]) => bounces === 1).map(([name]) => `\`${name}\``);
  const repeated = policies.filter(([, { bounces }]) => bounces > 1);
  return [
    `- ${atOnce.join(' and ')} suppress the address at once.`,
    ...repeated.map(
      ([name, { bounces, hoursApart }]) =>
        `- \`${name}\` suppresses it at the ${ORDINALS[bounces - 1]} bounce within ${REMEMBERED_DAYS} days. A bounce less than ${hoursApart} hours after the last one that counted does not count.`,
    ),
  ].join('\n');
}

const credentials: Readonly<Record<Extract<Access, string>, string>> = {
  public: 'anyone',
  any: 'any key or session',
  session: 'session',
  owner: "owner's session",
};

function describeAccess({ access, ownersOnly }: Route): string {
  if (typeof access === 'string') return credentials[access];
  return `key with ${access.map((scope) => `\`${scope}\``).join(' or ')}, or ${ownersOnly ? "owner's " : ''}session`;
}

/** The endpoints that a key with each scope can call, and the email fields that it can read. */
function writeScopes(routes: readonly Route[]): string {
  const listEndpoints = (opens: (access: Access) => boolean) =>
    routes
      .filter(({ access }) => opens(access))
      .map(({ method, path }) => `\`${method.toUpperCase()} ${toOpenApiPath(path)}\``)
      .join(', ') || 'none yet';
  const readers: readonly string[] = keysThat.readEmails;
  const describeFields = (scope: string) => {
    if (scope === contentOfEmails.scope) return 'all';
    return readers.includes(scope) ? `all but ${listCode(contentOfEmails.fields)}, which are null` : 'none';
  };
  return writeTable(
    ['Scope of a key', 'Endpoints', 'Fields of an email'],
    [
      ...scopes.map((scope) => [
        `\`${scope}\``,
        listEndpoints((access) => listScopes(access)?.includes(scope) ?? false),
        describeFields(scope),
      ]),
      ['any', listEndpoints((access) => access === 'any'), 'none'],
    ],
  );
}

function writePlans(): string {
  return writeTable(
    [
      'Plan',
      'Price per month',
      'Sends per month',
      'Sends per day',
      'Beyond the monthly sends',
      'Storage',
      'Test sends per day',
    ],
    Object.values(plans).map(({ id, name, priceUsd, monthlySends, dailySends, overage, storageBytes }) => [
      name,
      `${priceUsd} USD`,
      formatCount(monthlySends),
      dailySends === null ? 'no cap' : formatCount(dailySends),
      overage === null ? 'refused' : `${overage.priceUsd} USD per ${formatCount(overage.per)} sends`,
      formatBytes(storageBytes),
      formatCount(toAllowance(id, [], 0).testSends),
    ]),
  );
}
