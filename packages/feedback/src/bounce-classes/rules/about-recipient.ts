import type { BounceRule } from '../bounce-rule.js';
import { GMAIL, IANA } from './sources.js';

/** Codes about security and policy. An account or address in such a reply may be ours. */
const SECURITY_OR_POLICY = /^[45]\.7\./;

/** The server refuses the recipient. */
export const recipientRules: readonly BounceRule[] = [
  {
    class: 'mailbox_full',
    enhanced: /^[45]\.2\.2$/,
    samples: [
      '552 5.2.2 The email account that you tried to reach is over quota.',
      '452 4.2.2 The recipient has run out of storage',
    ],
    source: `${IANA}; ${GMAIL}`,
  },
  {
    class: 'mailbox_full',
    text: /over ?quota|quota (?:has been )?exceeded|exceeds? .{0,20}quota|mailbox (?:is |has been )?(?:full|exceeded)|mail ?box size limit|out of (?:storage|disk)|insufficient (?:disk|storage) space|exceeded storage allocation|account is full/i,
    samples: ['552 Requested mail action aborted: exceeded storage allocation', '550 jane: mailbox is full'],
    source: 'RFC 5321, 4.2.2; Dovecot, quota plugin',
  },
  {
    class: 'inactive',
    enhanced: /^5\.(?:2\.1|1\.6)$/,
    samples: [
      '550 5.2.1 The email account that you tried to reach is disabled.',
      '550 5.1.6 Recipient no longer on server',
    ],
    source: `${IANA}; ${GMAIL}`,
  },
  {
    class: 'inactive',
    exceptEnhanced: SECURITY_OR_POLICY,
    text: /(?:account|mailbox|user|recipient|address)[^.]{0,40}(?:disabled|deactivated|suspended|inactive|not active|closed|discontinued|expired|locked)|no longer (?:active|in use|available|valid|works)|has moved/i,
    samples: ['550 This account has been disabled', '554 jane@example.net: mailbox is no longer in use'],
    source: 'iCloud, GMX, Zimbra',
  },
  {
    class: 'bad_domain',
    enhanced: /^5\.(?:1\.2|1\.10|4\.4|4\.310)$/,
    samples: [
      '550 5.1.2 Bad destination system address',
      '556 5.1.10 Domain example.net does not accept mail (nullMX)',
    ],
    source: `${IANA}; RFC 7505`,
  },
  {
    class: 'bad_domain',
    exceptEnhanced: SECURITY_OR_POLICY,
    text: /null ?MX|(?:host|domain)(?: name)? (?:or domain name )?not found|NXDOMAIN|no such (?:host|domain)|domain (?:does not exist|is not|doesn't exist)|unrouteable (?:mail )?domain|unknown (?:host|domain)|does not accept (?:any )?(?:mail|email)|all relevant MX records point to non-existent hosts|DNS domain .{0,80} does not exist/i,
    samples: [
      'Host or domain name not found. Name service error for name=example.net type=MX: Host not found',
      '550 Unknown domain example.net',
    ],
    source: 'Postfix, Exim, RFC 7505',
  },
  {
    class: 'bad_mailbox',
    enhanced: /^5\.1\.(?:1|3)$/,
    samples: [
      '550 5.1.1 The email account that you tried to reach does not exist.',
      '553 5.1.3 The recipient address is not a valid RFC 5321 address.',
    ],
    source: `${IANA}; ${GMAIL}`,
  },
  {
    class: 'bad_mailbox',
    exceptEnhanced: SECURITY_OR_POLICY,
    // A refusal to relay says nothing about the mailbox, even if it mentions an unknown user.
    text: /^(?!.*\brelay(?:ing)? (?:not|denied|access)).*(?:(?:user|recipient|mailbox|account|address|local part|alias)[^;:]{0,60}(?:unknown|not found|unavailable|does not exist|doesn't exist|not exist|not listed|invalid|rejected: undeliverable|not known|not recognized)|(?:unknown|invalid|no such|unrouteable|nonexistent|non-existent|bad) (?:local )?(?:user|recipient|mailbox|account|address|destination|person)|no mailbox (?:here )?by that name|user doesn't have|there is no one|not our customer|not a (?:registered|valid|known)|no valid recipient|couldn't find any host|addressee unknown|unknown or illegal alias|not in directory|undeliverable address|recipient address rejected: (?:user|undeliverable))/i,
    samples: [
      '550 jane@example.net: User unknown in virtual mailbox table',
      "554 delivery error: dd This user doesn't have an example.net account",
      'Sorry, no mailbox here by that name.',
      '550 jane@example.net: User unknown in relay recipient table',
    ],
    source: 'Postfix, Exim, qmail, sendmail, Domino',
  },
];
