import type { Scope } from '@posthorn/contract';

/** Every key can also list templates. `webhooks:write` is left out, because no route needs it yet. */
const descriptions: Readonly<Record<Exclude<Scope, 'webhooks:write'>, string>> = {
  'emails:send': 'Send, reschedule and cancel emails, and read them without their content.',
  'emails:read': 'Read emails with their content: subject, bodies and variables.',
  'templates:write': 'Create, change and delete templates.',
  'domains:write': 'List, add, verify and delete sending domains, and rotate their keys.',
};

export const scopes = Object.entries(descriptions).map(([name, description]) => ({ name, description }));
