import type { BounceClass } from '@posthorn/contract';

type ClassDescription = {
  readonly label: string;
  /** What happened, in a sentence. */
  readonly meaning: string;
  /** What the sender should do. */
  readonly advice: string;
};

const classes: Readonly<Record<BounceClass, ClassDescription>> = {
  bad_mailbox: {
    label: 'No such mailbox',
    meaning: 'The mailbox does not exist. We no longer send to it.',
    advice: 'Remove the address from your lists, and confirm new addresses when people sign up.',
  },
  inactive: {
    label: 'Mailbox not used',
    meaning: 'The mailbox is disabled or no longer in use. We no longer send to it.',
    advice: 'Remove the address from your lists.',
  },
  bad_domain: {
    label: 'No such domain',
    meaning: 'The domain does not exist or takes no email.',
    advice: 'Look for typos, such as gmial.com.',
  },
  mailbox_full: {
    label: 'Mailbox full',
    meaning: 'The mailbox was full for as long as we tried.',
    advice: 'Nothing. If it stays full for weeks, we stop sending to it.',
  },
  rate: {
    label: 'Too many emails',
    meaning: 'The receiver takes only a limited number of emails at a time.',
    advice: 'Spread large mailings over hours or days.',
  },
  reputation: {
    label: 'Sender not trusted',
    meaning: 'The receiver distrusts the IP address or the domain that the email came from.',
    advice: 'Send only to people who want your emails. If it happens often, tell the operator of this service.',
  },
  authentication: {
    label: 'Not authenticated',
    meaning: 'SPF, DKIM, DMARC or reverse DNS is missing or wrong.',
    advice: 'Check the DNS records of your domain on the Domains page.',
  },
  content: {
    label: 'Content refused',
    meaning: 'The receiver refused this message, for example as spam or because it is too large.',
    advice: 'Read the reply of the mail server, and check links, attachments and wording.',
  },
  protocol: {
    label: 'Technical error',
    meaning: 'The mail server says that we broke the rules of SMTP.',
    advice: 'Tell the operator of this service, with the reply.',
  },
  unknown: {
    label: 'Other reason',
    meaning: 'The mail server gave a reason that we do not know.',
    advice: 'Read the reply of the mail server.',
  },
};

export const classOptions = Object.entries(classes).map(([value, { label }]) => ({ value, label }));

export function describeClass(bounceClass: BounceClass): ClassDescription {
  return classes[bounceClass];
}
