/** What a key may be allowed to do; without any of them it lists emails and templates. */
export const scopes = [
  { name: 'emails:send', sentence: 'Send emails, reschedule and cancel them.' },
  {
    name: 'emails:read',
    sentence: 'Read the bodies and variables of emails. Everything else about them any key sees.',
  },
  { name: 'templates:write', sentence: 'Create, change and delete templates.' },
  { name: 'domains:write', sentence: 'Add, verify, rotate, delete and list sending domains.' },
] as const;
