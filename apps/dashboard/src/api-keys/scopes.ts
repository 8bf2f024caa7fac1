import type { Scope } from '@posthorn/contract';

/** What a key may be allowed to do; without any of them it lists emails and templates. No route asks for `webhooks:write` yet. */
const descriptions: Readonly<Record<Exclude<Scope, 'webhooks:write'>, string>> = {
  'emails:send': 'Send emails, reschedule and cancel them.',
  'emails:read': 'Read the content and variables of emails. Every key can read the rest.',
  'templates:write': 'Create, change and delete templates.',
  'domains:write': 'List, add, verify and delete sending domains, and rotate their keys.',
};

export const scopes = Object.entries(descriptions).map(([name, description]) => ({ name, description }));
