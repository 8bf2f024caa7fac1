import { replayLimits, suppressionLimits } from '@posthorn/contract';
import { MAX_DOMAIN_CHARACTERS } from '@posthorn/platform/config';
import { formatCount } from '@posthorn/platform/values';
import { emailLimits } from './email-limits.js';

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

/**
 * Every limit on a request or a workspace, in one table. Validators read the number; /docs prints the
 * row. Caps and the rate limit for emails belong to workspaces (workspaces/plans.ts), and the size of a
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
  publicRequests: {
    max: 600,
    unit: 'requests per minute',
    of: 'one IP address on paths that need no credential, per API process; /healthz, /readyz and the scripts and styles of /docs have no limit',
  },

  // Limits on API keys, domains, members, accounts and logins
  keyName: { max: 100, unit: 'characters', of: 'the name of an API key' },
  keyNetworks: { max: 50, unit: 'networks', of: 'an API key' },
  keys: { max: 100, unit: 'keys', of: 'a workspace, not counting revoked keys' },
  domainName: {
    max: MAX_DOMAIN_CHARACTERS,
    unit: 'characters',
    of: 'the name of a domain; its bounce address is 67 characters longer, and mail servers accept at most 254',
  },
  domains: { max: 100, unit: 'domains', of: 'a workspace' },
  domainRequests: {
    max: 60,
    unit: 'requests per minute',
    of: 'adding domains, verifying them and rotating their keys, per workspace and API process',
  },
  retiredKeyDays: { max: 7, unit: 'days', of: 'how long the record of a retired DKIM key must stay in DNS' },
  workspaceName: { max: 100, unit: 'characters', of: 'the name of a workspace' },
  members: { max: 100, unit: 'members', of: 'a workspace, including invited members' },
  auditLogDays: { max: 400, unit: 'days', of: 'how long the audit log keeps an entry' },
  invitationDays: { max: 7, unit: 'days', of: 'how long an invitation link works' },
  invitationMails: { max: 50, unit: 'invitations per day', of: 'a workspace, including resent invitations' },
  invitationMailsToAddress: { max: 5, unit: 'invitations per day', of: 'one email address, from all workspaces' },
  verificationHours: { max: 24, unit: 'hours', of: 'how long a link that confirms an email address works' },
  verificationMails: { max: 5, unit: 'links per day', of: 'to confirm one email address' },
  verificationMailsFromNetwork: {
    max: 20,
    unit: 'links per hour',
    of: 'to confirm email addresses, requested from one IP address (for IPv6, its /64 network)',
  },
  verificationMailsInTotal: {
    max: 1_000,
    unit: 'links per hour',
    of: 'to confirm email addresses, for all sign-ups together',
  },
  unverifiedSends: {
    max: 10,
    unit: 'sends per day',
    of: "a workspace whose owner's email address is not confirmed yet; it can send to that address only",
  },
  unverifiedSendsFromNetwork: {
    max: 30,
    unit: 'emails per hour',
    of: 'all such workspaces that were created from one IP address (for IPv6, its /64 network)',
  },
  unverifiedSendsInTotal: { max: 1_000, unit: 'emails per hour', of: 'all such workspaces together' },
  signUps: { max: 20, unit: 'sign-ups in 15 minutes', of: 'one IP address (for IPv6, its /64 network)' },
  passwordResets: { max: 10, unit: 'requests in 15 minutes', of: 'password resets requested from one IP address' },
  failedLogins: { max: 10, unit: 'failures in 15 minutes', of: 'logging in to one account from one IP address' },
  failedLoginsFromNetwork: { max: 100, unit: 'failures in 15 minutes', of: 'logging in from one IP address' },
  failedLoginsToAccount: {
    max: 100,
    unit: 'failures per hour',
    of: 'logging in to one account from devices that have not logged in to it before',
  },
  failedLoginsDuringAttack: {
    max: 2,
    unit: 'failures per hour',
    of: 'logging in to one account from each additional IP address after that',
  },
  waitingPasswords: { max: 8, unit: 'passwords', of: 'from one IP address, waiting to be checked at the same time' },
  password: { max: 200, unit: 'characters', of: 'a password; the minimum is 10' },

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
  webhookRetryAfterSeconds: {
    max: 3_600,
    unit: 'seconds',
    of: 'how long a receiver can ask Posthorn to wait with Retry-After',
  },
  webhookFailingDays: {
    max: 5,
    unit: 'days',
    of: 'how long every request to a webhook may fail before the webhook is disabled',
  },
  webhookLogDays: { max: 30, unit: 'days', of: 'how long the deliveries of a webhook are kept' },
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

  // Limits on bounces and complaints that are received by SMTP
  reportBytes: {
    max: 35 * MB,
    unit: 'bytes',
    of: 'a report of a bounce or complaint, which may return a whole message',
  },
  storedReportBytes: { max: 256 * KB, unit: 'bytes', of: 'how much of a report is stored and read' },
  shownReportBytes: { max: 20 * KB, unit: 'bytes', of: 'how much of a report the API returns' },
  reportRecipients: { max: 20, unit: 'recipients', of: 'one message to the listener for bounces and complaints' },
  inboundClients: {
    max: 200,
    unit: 'simultaneous connections',
    of: 'the listener for bounces and complaints, per process',
  },
  inboundClientsPerAddress: {
    max: 50,
    unit: 'simultaneous connections',
    of: 'one IP address to the listener for bounces and complaints, per process',
  },
  inboundSessionMinutes: {
    max: 10,
    unit: 'minutes',
    of: 'one connection to the listener for bounces and complaints; a sender that needs longer connects again',
  },
  eventsBeforeDelays: {
    max: 1_000,
    unit: 'events',
    of: 'one email; from then on, reports of a delay add none',
  },
  reportDays: { max: 30, unit: 'days', of: 'how long reports are kept as they were received' },

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
  sendingStatsDays: { max: 60, unit: 'days', of: 'how long bounces and complaints are counted and listed' },
} as const;
