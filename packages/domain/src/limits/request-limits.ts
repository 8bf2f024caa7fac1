const KB = 1_000;
const MB = 1_000_000;

/** Limits on requests, whatever they are about. */
export const requestLimits = {
  faults: { max: 20, unit: 'errors', of: '`errors` of a 422; the rest are left out' },
  jsonDepth: { max: 16, unit: 'levels', of: 'nesting in a request body' },
  jsonValues: { max: 20_000, unit: 'values', of: 'a request body' },
  jsonFields: { max: 1_000, unit: 'fields', of: 'an object in a request body' },
  jsonCharactersOutsideStrings: {
    max: 1 * MB,
    unit: 'characters',
    of: 'a request body without its strings, but with its white space',
  },
  publicBody: {
    max: 16 * KB,
    unit: 'bytes',
    of: 'a request body on a path that needs no credential, such as those under /auth',
  },
  smallBody: {
    max: 64 * KB,
    unit: 'bytes',
    of: 'a request body without html or text, such as a request to create a key or reschedule an email',
  },
  bodiesOfWorkspace: {
    max: 20 * MB,
    unit: 'bytes',
    of: "the total size of a workspace's request and response bodies over 64 kB that an API process handles at the same time",
  },
  bodiesOfProcess: {
    max: 60 * MB,
    unit: 'bytes',
    of: 'the total size of all request and response bodies over 64 kB that an API process handles at the same time; one workspace can use at most half of what is free',
  },
  bodiesPerMinute: {
    max: 60 * MB,
    unit: 'bytes per minute',
    of: "a workspace's request and response bodies over 64 kB, per API process; or 1 MB for each email that the rate limit allows per minute, if that is more",
  },
  requests: {
    max: 600,
    unit: 'requests per minute',
    of: 'an API key or a user, not counting requests to send email; or ten times the rate limit for emails, if that is more',
  },
  heavyRequests: {
    max: 120,
    unit: 'requests per minute',
    of: 'an API key or a user, for checking emails; creating, changing and previewing templates; creating API keys; creating, changing, testing and replaying webhooks and rotating their secrets; adding, removing and importing suppressions; erasing recipients; and exporting the workspace. Or twice the rate limit for emails, if that is more',
  },
  publicRequests: {
    max: 600,
    unit: 'requests per minute',
    of: 'one IP address on paths that need no credential, per API process; /healthz, /readyz and the scripts and styles of /docs have no limit',
  },
} as const;
