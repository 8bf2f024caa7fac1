import { dayLimits } from '@posthorn/contract';
import { MAX_DOMAIN_CHARACTERS } from '@posthorn/platform/config';

/** Limits on API keys, domains, members, accounts and logins. */
export const accountLimits = {
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
  invitationDays: { max: dayLimits.invitation, unit: 'days', of: 'how long an invitation link works' },
  invitationMails: { max: 50, unit: 'invitations per day', of: 'a workspace, including resent invitations' },
  invitationMailsToAddress: {
    max: 5,
    unit: 'invitations per day',
    of: 'one mailbox, whatever follows a plus sign in the address, from all workspaces',
  },
  notices: {
    max: 20,
    unit: 'emails per UTC day',
    of: 'to one owner about webhooks that were disabled and workspaces that were warned or paused',
  },
  noticesOfKind: {
    max: 5,
    unit: 'emails per UTC day',
    of: 'such emails of one kind about one workspace, and at most one about each webhook',
  },
  verificationHours: { max: 24, unit: 'hours', of: 'how long a link that confirms an email address works' },
  unconfirmedDays: {
    max: dayLimits.unconfirmed,
    unit: 'days',
    of: 'how long an account may stay unconfirmed; after that, it is deleted together with its workspace',
  },
  verificationMails: {
    max: 5,
    unit: 'links per day',
    of: 'to confirm addresses of one mailbox, whatever follows a plus sign',
  },
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
  unverifiedStorage: {
    max: 5_000_000,
    unit: 'bytes',
    of: 'what such a workspace keeps, if its plan allows more',
  },
  unverifiedSendsFromNetwork: {
    max: 30,
    unit: 'emails per hour',
    of: 'all such workspaces that were created from one IP address (for IPv6, its /64 network)',
  },
  unverifiedSendsInTotal: { max: 1_000, unit: 'emails per hour', of: 'all such workspaces together' },
  signUps: { max: 20, unit: 'sign-ups in 15 minutes', of: 'one IP address (for IPv6, its /64 network)' },
  signUpsPerDay: { max: 60, unit: 'sign-ups per day', of: 'one IP address (for IPv6, its /64 network)' },
  resetLinks: {
    max: 3,
    unit: 'links',
    of: 'to reset the password of one account that work at the same time, for an hour each',
  },
  resetLinksUnverified: {
    max: 5,
    unit: 'links per day',
    of: 'to reset the password of an account whose email address is not confirmed',
  },
  passwordResets: {
    max: 10,
    unit: 'requests in 15 minutes',
    of: 'password resets requested from one IP address (for IPv6, its /64 network)',
  },
  failedLogins: {
    max: 10,
    unit: 'failures in 15 minutes',
    of: 'logging in to one account from one IP address (for IPv6, its /64 network)',
  },
  failedLoginsFromNetwork: {
    max: 100,
    unit: 'failures in 15 minutes',
    of: 'logging in from one IP address (for IPv6, its /64 network)',
  },
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
} as const;
