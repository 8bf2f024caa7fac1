import type { Scope } from '@posthorn/contract';

/** Every key can also list templates. */
const descriptions: Readonly<Record<Scope, string>> = {
  'emails:send':
    'Send, reschedule and cancel emails, and read them without their content. Add, import and remove suppressions.',
  'emails:read': 'Read suppressions, and emails with their content: subject, bodies and variables.',
  'templates:write': 'Create, change and delete templates.',
  'domains:write': 'List, add, verify and delete sending domains, and rotate their keys.',
  'webhooks:write':
    'Create, change, test and delete webhooks, rotate their secrets, read what was sent to them, and replay it.',
};

export const scopes = Object.entries(descriptions).map(([name, description]) => ({ name, description }));
