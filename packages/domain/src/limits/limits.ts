import { dayLimits, replayLimits, suppressionLimits } from '@posthorn/contract';
import { formatCount } from '@posthorn/platform/values';
import { accountLimits } from './account-limits.js';
import { emailLimits } from './email-limits.js';
import { feedbackLimits } from './feedback-limits.js';

const KB = 1_000;
const MB = 1_000_000;

export const DEFAULT_PAGE_SIZE = 20;
/** A shorter string would be in nearly every email. */
export const MIN_SEARCH_CHARACTERS = 3;
export const MIN_PASSWORD_CHARACTERS = 10;
export const DEFAULT_WEBHOOK_OVERLAP_SECONDS = 86_400;
/** With fewer recipients, one bounce would be a high rate. */
export const MIN_SENT_FOR_RATE = 100;
/** One complaint can be a mistake. */
export const MIN_COMPLAINTS_FOR_RATE = 2;
/** Otherwise, somebody who runs a few domains could pause a small workspace. */
export const MIN_BOUNCING_DOMAINS = 5;

/**
 * Every limit on a request or a workspace, in one table. Validators read the number; /docs prints the
 * row. Caps and the rate limit for emails belong to workspaces (plans/plans.ts), and the size of a
 * request body is a setting (config/settings.ts).
 */
export const limits = {
  ...emailLimits,

  // Limits on requests, whatever they are about
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
  workspaceRate: {
    max: 10,
    unit: 'times the limit of one',
    of: 'all API keys and users of a workspace together, for emails and for other requests per minute; live and test mail are counted separately',
  },
  publicRequests: {
    max: 600,
    unit: 'requests per minute',
    of: 'one IP address on paths that need no credential, per API process; /healthz, /readyz and the scripts and styles of /docs have no limit',
  },

  ...accountLimits,

  // Limits on what a workspace keeps
  testSendsPerSend: {
    max: 10,
    unit: 'test sends per day',
    of: 'each live send per day that the plan of the workspace includes; without a daily cap, a thirtieth of the monthly sends counts as a day',
  },
  testMailDays: { max: dayLimits.testMail, unit: 'days', of: 'how long test mail is kept after it was accepted' },
  /** Gmail clips messages above 102 kB, so few emails are larger. */
  uncountedContent: {
    max: 100 * KB,
    unit: 'bytes',
    of: 'the content of a live email that does not count toward the storage of its workspace',
  },

  // Limits on webhooks
  webhooks: { max: 50, unit: 'webhooks', of: 'a workspace, and as many for test mail' },
  webhookUrl: { max: 2_000, unit: 'characters', of: 'the URL of a webhook' },
  webhookDescription: { max: 500, unit: 'characters', of: 'the description of a webhook' },
  webhookSecrets: { max: 5, unit: 'secrets', of: 'a webhook, counting old ones that are still valid after a rotation' },
  webhookOverlapSeconds: {
    max: 604_800,
    unit: 'seconds',
    of: `how long the old secret of a webhook stays valid after a rotation; the default is ${formatCount(DEFAULT_WEBHOOK_OVERLAP_SECONDS)}`,
  },
  webhookSeconds: { max: 15, unit: 'seconds', of: 'one request to a webhook, until its response has been read' },
  webhookResponse: { max: 4 * KB, unit: 'bytes', of: "how much of a receiver's response is stored" },
  webhookResponsesPerDay: {
    max: 10 * MB,
    unit: 'bytes per day',
    of: 'the responses to the webhooks of a workspace that a worker stores; further ones are stored without their body',
  },
  webhookAttempts: {
    max: 20,
    unit: 'attempts',
    of: 'the log of one delivery, which keeps the newest; the retry schedule has eight, and each replay begins it again',
  },
  webhookRetryAfterSeconds: {
    max: 3_600,
    unit: 'seconds',
    of: 'how long a receiver can ask Posthorn to wait with Retry-After',
  },
  webhookRequestsUntilConfirmed: {
    max: 5,
    unit: 'requests per minute',
    of: 'a webhook, one after another, until its server has answered one with a 2xx; a new URL starts over',
  },
  webhookRequestsUnanswered: {
    max: 2,
    unit: 'simultaneous requests and requests per second',
    of: 'all webhooks together to one address and port, and those of a workspace to one host, until it answers with a 2xx',
  },
  webhookRequestsToHost: {
    max: 64,
    unit: 'simultaneous requests',
    of: 'all webhooks of all workspaces together to one address and port',
  },
  webhookRequestsPerSecondToHost: {
    max: 500,
    unit: 'requests per second',
    of: 'all webhooks of all workspaces together to one address and port; or twice as many as it has answered with a 2xx in its best second, if that is more',
  },
  webhookRequestsOfWorkspace: {
    max: 32,
    unit: 'simultaneous requests',
    of: 'all webhooks of a workspace together to one host and port; one webhook makes 16',
  },
  webhookRequestsPerSecondOfWorkspace: {
    max: 50,
    unit: 'requests per second',
    of: 'all webhooks of a workspace together to one host and port, including replays; or 50 for each email per second that the rate limit allows, if that is more. 2 while the address of its owner is not confirmed',
  },
  webhookFailingDays: {
    max: 5,
    unit: 'days',
    of: 'how long every request to a webhook may fail before the webhook is disabled',
  },
  webhookLogDays: { max: dayLimits.webhookLog, unit: 'days', of: 'how long the deliveries of a webhook are kept' },
  /** Older deliveries could be deleted before their retry schedule ends, which takes up to 33 hours. */
  webhookEventDays: {
    max: replayLimits.days,
    unit: 'days',
    of: 'how old an event can be to be replayed, or sent to a webhook that is enabled again',
  },
  replayedEvents: { max: replayLimits.events, unit: 'events', of: 'one request to replay events' },
  scannedEvents: {
    max: 2_000,
    unit: 'events',
    of: 'how many events one page of GET /api/v1/events with type looks at',
  },

  ...feedbackLimits,

  // Limits on suppressions
  topic: { max: 64, unit: 'characters', of: 'a topic: lowercase letters, digits, - and _' },
  removalReason: {
    max: suppressionLimits.removalReason,
    unit: 'characters',
    of: 'because, the reason for removing a complaint',
  },
  suppressionDetail: { max: 500, unit: 'characters', of: 'why an operator added a suppression' },
  importedRows: {
    max: suppressionLimits.importedRows,
    unit: 'rows',
    of: 'one import of suppressions, without the header',
  },
  importedBytes: {
    max: suppressionLimits.importedBytes,
    unit: 'bytes',
    of: 'the CSV file of one import of suppressions',
  },

  // Limits on opens and clicks
  trackedUrlCharacters: {
    max: 2_000,
    unit: 'characters',
    of: 'a link whose clicks are recorded; longer links stay as they are',
  },
  trackedLinks: { max: 1_000, unit: 'links', of: 'one email whose clicks are recorded; if there are more, none is' },
  trackedEvents: { max: 1_000, unit: 'opens and clicks', of: 'one email; later ones are not recorded' },
  openRepeatMinutes: { max: 60, unit: 'minutes', of: 'how long another open by the same recipient is not recorded' },
  clickRepeatSeconds: { max: 60, unit: 'seconds', of: 'how long another click on the same link is not recorded' },
  waitingHits: { max: 10_000, unit: 'opens and clicks', of: 'what a tracking listener keeps while Postgres is down' },

  /*
   * Limits on bounces and complaints. Gmail and Yahoo ask senders to stay below 0.1% complaints and never to reach 0.3%
   * (https://support.google.com/a/answer/81126, https://senders.yahooinc.com/best-practices/). No mailbox provider
   * publishes a limit on bounces. Amazon SES reviews accounts from 5% and recommends less than 2%
   * (https://docs.aws.amazon.com/ses/latest/dg/reputationdashboardmessages.html), and other services do much the same.
   */
  bounceWarning: {
    max: 2,
    unit: 'percent',
    of: "bounces among a workspace's recipients of the last 7 days; from here on, its owners are warned",
  },
  bouncePause: {
    max: 5,
    unit: 'percent',
    of: "bounces among a workspace's recipients of the last 7 days; from here on, the workspace is paused",
  },
  bouncesOfOneDomain: {
    max: 100,
    unit: 'bounces',
    of: 'one receiving domain, below which it counts towards a pause for at most as many bounces as all other domains together',
  },
  complaintWarning: {
    max: 0.1,
    unit: 'percent',
    of: "complaints among a workspace's recipients of the last 7 days; from here on, its owners are warned",
  },
  complaintPause: {
    max: 0.3,
    unit: 'percent',
    of: "complaints among a workspace's recipients of the last 7 days; from here on, the workspace is paused",
  },
  pauseReason: { max: 500, unit: 'characters', of: 'the reason for which an operator pauses a workspace' },
  resumeReason: { max: 500, unit: 'characters', of: 'reason, with which an owner resumes a paused workspace' },
  ownerResumeDays: {
    max: dayLimits.ownerResume,
    unit: 'days',
    of: 'how long after an owner has resumed a workspace only the operator can end its next pause',
  },
  sendingStatsDays: { max: 60, unit: 'days', of: 'how long bounces and complaints are counted and listed' },
} as const;
