import type { BounceRule } from '../bounce-rule.js';
import { GMAIL, MICROSOFT, YAHOO } from './sources.js';

/** Rules for servers whose codes are misleading, and for codes that are clear without the text. */
export const serverSpecificRules: readonly BounceRule[] = [
  {
    class: 'authentication',
    enhanced: /^[45]\.7\.(?:2[0-79]|3[0-2]|509|515)$/,
    samples: [
      '550 5.7.26 This mail has been blocked because the sender is unauthenticated.',
      '421 5.7.32 The From: header does not align with the authenticated domains',
      '550 5.7.515 Access denied, sending domain example.com does not meet the required authentication level.',
      '421 4.7.23 The sending IP address does not have a PTR record',
    ],
    source: `RFC 7372; ${GMAIL}; ${MICROSOFT}`,
  },
  {
    class: 'rate',
    text: /receiving (?:mail|email|messages) (?:at a rate|too quickly)|unusual rate of|rate[- ]?limit|too many (?:messages|emails|concurrent|connections|recipients this|invalid recipients)|(?:sending|message|connection) (?:rate|limit)s? (?:has been )?exceeded|exceeded (?:the |your )?(?:maximum )?(?:sending|message|connection|hourly|daily|rate)|messages? (?:per|an) (?:hour|minute|second|day)|throttl|slow down|\bRP-00\d\b|limits for how many messages/i,
    samples: [
      '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
      '550 5.7.1 [192.0.2.1] Our system has detected an unusual rate of unsolicited mail originating from your IP address.',
      '421 4.7.28 Gmail has detected an unusual rate of mail with the same Message-ID.',
      '451 4.7.500 Server busy. Too many messages, please slow down',
    ],
    source: `${GMAIL}; ${MICROSOFT}`,
  },
  {
    class: 'inactive',
    text: /out of storage space and (?:is )?inactive|over quota and (?:is )?inactive|inactive .{0,40}(?:over quota|out of storage)/i,
    samples: [
      '552 5.2.2 The email account that you tried to reach is out of storage space and inactive.',
      '452 4.2.2 The recipient is over quota and inactive',
    ],
    source: GMAIL,
  },
  {
    class: 'bad_mailbox',
    text: /RESOLVER\.ADR|RecipientNotFound|SMTPSEND\.Recipient/i,
    samples: [
      '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient jane@example.net not found by SMTP address lookup',
      '550 5.1.1 RESOLVER.ADR.RecipNotFound; not found',
    ],
    source: MICROSOFT,
  },
  {
    class: 'bad_mailbox',
    enhanced: /^5\.4\.1$/,
    text: /Recipient address rejected: Access denied/i,
    samples: [
      '550 5.4.1 Recipient address rejected: Access denied. [AM4PEPF00027A6A.eurprd04.prod.outlook.com]',
      '550 5.4.1 [jane@example.net]: Recipient address rejected: Access denied',
    ],
    source: `${MICROSOFT}: Directory-Based Edge Blocking`,
  },
  {
    class: 'bad_mailbox',
    enhanced: /^5\.5\.0$/,
    text: /mailbox unavailable|user unknown|no such user|does not exist/i,
    samples: [
      '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)',
      '550 5.5.0 Mailbox unavailable',
    ],
    source: MICROSOFT,
  },
  {
    class: 'reputation',
    text: /\bS(?:3140|3150)\b|\bTS(?:S)?0[1-9]\b|\bOU-00[1-9]\b|AUP#|\bS77719\b|part of their network is on our block list/i,
    samples: [
      "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).",
      '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints',
      '550 SC-001 (OU-002) Mail rejected by Outlook.com for policy reasons.',
    ],
    source: `${MICROSOFT}; ${YAHOO}`,
  },
];
