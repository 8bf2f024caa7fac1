import type { BounceRule } from '../bounce-rule.js';
import { GMAIL, IANA, MICROSOFT } from './sources.js';

/** Codes and words that servers use for many reasons. */
export const vagueRules: readonly BounceRule[] = [
  {
    class: 'rate',
    enhanced: /^4\.(?:2\.1|7\.[0-9]+|4\.5|3\.2)$/,
    samples: [
      '450 4.2.1 The user you are trying to contact is not available now.',
      '451 4.7.1 Greylisting in action, please come back later',
    ],
    source: `${IANA}; ${GMAIL}`,
  },
  {
    class: 'protocol',
    enhanced: /^[45]\.5\.\d+$/,
    samples: ['503 5.5.1 Bad sequence of commands', '555 5.5.2 Syntax error, cannot decode response'],
    source: IANA,
  },
  {
    class: 'protocol',
    codes: [500, 501, 502, 503, 504, 555],
    samples: ['503 Bad sequence of commands', '501 Syntax error in parameters or arguments'],
    source: 'RFC 5321, 4.2.2',
  },
  {
    class: 'protocol',
    text: /8-?bit|bare (?:LF|CR|newline)|line too long|pipelin/i,
    samples: ['554 Transaction failed: 8bit data is not supported', '550 Bare LF received'],
    source: 'RFC 6152; Postfix, smtpd_forbid_bare_newline',
  },
  {
    class: 'reputation',
    enhanced: /^5\.7\.\d+$/,
    text: /(?<!relay )access denied|denied by policy|blocked/i,
    samples: ['550 5.7.1 Access denied', '554 5.7.1 Mail from this server is denied by policy'],
    source: MICROSOFT,
  },
];
