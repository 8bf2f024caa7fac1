import type { BounceRule } from '../bounce-rule.js';
import { IANA, YAHOO } from './sources.js';

/** The server refuses this message. */
export const messageRules: readonly BounceRule[] = [
  {
    class: 'content',
    enhanced: /^[45]\.(?:3\.4|2\.3|6\.\d+)$/,
    samples: ['552 5.3.4 Message size exceeds fixed limit', '554 5.6.0 Message contains invalid header'],
    source: IANA,
  },
  {
    class: 'content',
    text: /\bspam\b|spammy|\bU[CB]E\b|content rejected|unsolicited|virus|malware|phish|(?:message|mail|body|attachment|header|content)s? (?:content |is |was |has been )*(?:too (?:large|big)|rejected due to content|contains?|blocked|not accepted)|too large|size (?:limit|exceeds)|exceeds .{0,20}size|policy reasons|blocked attachment|prohibited (?:attachment|content)|bad url|delivery error: dd (?:not accepted|policy)/i,
    samples: [
      '554 5.7.1 Message rejected as spam by Content Filtering.',
      '552 Message exceeds maximum fixed size',
      '550 5.7.1 The message contains a virus',
    ],
    source: `${YAHOO}; Rspamd, SpamAssassin, ClamAV`,
  },
];
