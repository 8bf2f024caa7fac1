import type { Oracle } from './oracles.js';

/** Disagreements that somebody has looked at, with the reason why the oracle is wrong. */
export type ReviewedDisagreement = {
  readonly oracle: Oracle['name'];
  readonly about: 'recipients' | 'reason';
  /** Matched with the names of bounces. */
  readonly bounces: RegExp;
  readonly why: string;
};

/** The first one that matches counts. */
export const reviewedDisagreements: readonly ReviewedDisagreement[] = [
  {
    oracle: 'sisimai',
    about: 'reason',
    bounces: /, policy-unavailable, 1 recipient,/,
    why: 'It takes "mailbox unavailable" for the reason, although the server says that its policy was. GMX and web.de refuse mail to working mailboxes so.',
  },
  {
    oracle: 'sisimai',
    about: 'reason',
    bounces: /^(?:courier|exim-text|qmail), .*, [24] recipients,/,
    why: 'One of the recipients has the reply "mailbox unavailable", for which see above.',
  },
  {
    oracle: 'sisimai',
    about: 'reason',
    bounces: /^(?:postfix|sendmail|exim), .*, [24] recipients,/,
    why: 'It mixes the text for people with the fields, and so gives one recipient the reply of another.',
  },
  {
    oracle: 'sisimai',
    about: 'recipients',
    bounces: /^postfix-text, .*, [24] recipients,/,
    why: 'If there is no delivery status, it leaves out some of the recipients.',
  },
  {
    oracle: 'flufl.bounce',
    about: 'recipients',
    bounces: /, base64$/,
    why: 'It does not decode base64.',
  },
  {
    oracle: 'flufl.bounce',
    about: 'recipients',
    bounces: /^yahoo-text, .*, quoted-printable$/,
    why: 'It does not decode quoted-printable.',
  },
  {
    oracle: 'flufl.bounce',
    about: 'recipients',
    bounces: /^(?:james-text|postfix-text), /,
    why: 'It does not know the format.',
  },
];
