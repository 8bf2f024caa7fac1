import type { Scope } from '@posthorn/contract';

/** A key without scopes can still list emails and templates. No route needs `webhooks:write` yet. */
const descriptions: Readonly<Record<Exclude<Scope, 'webhooks:write'>, string>> = {
  'emails:send': 'Send emails, reschedule and cancel them.',
  'emails:read': 'Read the content and variables of emails. Every key can read the rest.',
  'templates:write': 'Create, change and delete templates.',
  'domains:write': 'List, add, verify and delete sending domains, and rotate their keys.',
};

export const scopes = Object.entries(descriptions).map(([name, description]) => ({ name, description }));
