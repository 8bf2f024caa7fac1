import type { BounceRule } from '../bounce-rule.js';
import { GMAIL, IANA, MICROSOFT } from './sources.js';

/** The server refuses us: it distrusts our IP address or domain, or gets too much mail from us. */
export const senderRules: readonly BounceRule[] = [
  {
    class: 'rate',
    enhanced: /^[45]\.7\.28$/,
    samples: ['421 4.7.28 Try again later', '550 5.7.28 Mail from your domain was blocked for now'],
    source: GMAIL,
  },
  {
    class: 'authentication',
    enhanced: /^[45]\.1\.[78]$/,
    samples: [
      '550 5.1.8 <bounce@example.com>: Sender address rejected: Domain not found',
      '553 5.1.7 Sender address invalid',
    ],
    source: IANA,
  },
  {
    class: 'authentication',
    text: /\b(?:sender\b|return[- ]path\b|envelope[- ]from\b|mail from:).{0,40}\b(?:rejected|invalid|unknown|not found|does not exist|doesn't exist|verif|refused|denied|undeliverable)|(?:verif\w*|callout|callback).{0,20}\bsender/i,
    samples: [
      '550 Sender verify failed: user unknown',
      '550 <bounce@example.com>: Sender address rejected: undeliverable address',
      '553 sorry, your envelope sender domain does not exist',
    ],
    source: 'Postfix, reject_unknown_sender_domain, reject_unverified_sender; Exim, sender verification',
  },
  {
    class: 'reputation',
    text: /\b(?:your|sending|sender|outbound|for this) account\b|bad outbound sender|\bcertificate\b|IP(?: address)? (?:is )?(?:unknown|not found)/i,
    samples: ['550 5.7.1 Your account has been suspended', '554 5.7.1 Sending for this account has been suspended'],
    source: 'Postfix, Exim; what a relay says when it refuses to send for us',
  },
  {
    class: 'authentication',
    text: /\b(?:SPF|DKIM|DMARC)\b|unauthenticated|\bPTR\b|(?:reverse|rDNS)[- ](?:DNS|record|lookup|hostname)|no PTR|reverse DNS|does not (?:have|resolve to) a (?:valid )?(?:PTR|hostname)/i,
    samples: [
      '550 5.7.1 Message rejected: DMARC policy of example.com is reject',
      '554 Client host rejected: cannot find your reverse hostname, [192.0.2.1]: no reverse DNS',
    ],
    source: 'RFC 7208, 7489; Postfix, reject_unknown_client_hostname',
  },
  {
    class: 'reputation',
    text: /spamhaus|barracuda|spamcop|sorbs|uceprotect|cloudmark|proofpoint|senderscore|\b(?:rbl|dnsbl|dbl|sbl|xbl|pbl)\b|block[- ]?list|black[- ]?list|deny[- ]?list|blocked (?:using|by|for abuse)|reputation|(?:\[?\d+\.\d+\.\d+\.\d+\]?|host|IP|server)(?: is| was)? listed (?:at|in|on|by)|(?:IP|host|server|address|network|client)(?: address)?\S* (?:is |has been |was )?(?:blocked|banned|refused|rejected due)|banned sending|refused to talk to me/i,
    samples: [
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
      '550 5.7.1 Gmail has detected that this message is likely suspicious due to the very low reputation of the sending domain',
      '550 5.7.606 Access denied, banned sending IP [192.0.2.1]',
    ],
    source: `Postfix, reject_rbl_client; ${GMAIL}; ${MICROSOFT}`,
  },
];
