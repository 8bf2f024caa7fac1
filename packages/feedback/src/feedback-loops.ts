/** A service that reports to senders which of its users marked an email as spam, and signs its reports. */
export type FeedbackLoop = {
  readonly provider: string;
  /** The domain that signs the reports (d=). */
  readonly signer: string;
  /**
   * The address in From. `*` stands for any address at the signer's domain and below. A domain where people have
   * mailboxes signs their mail too, so there, only the exact address counts.
   */
  readonly from: string;
  /** Where it is documented. */
  readonly source: string;
};

const VALIDITY = 'https://knowledge.validity.com/hc/en-us/articles/360005560651';
/** A list that abuse desks share. It has the addresses; the domains that sign are those of the addresses. */
const ABUSEIO = 'https://github.com/AbuseIO/parser-fbl/blob/master/config/Fbl.php';

/**
 * Who is believed. Complaints from elsewhere suppress their address, but do not count: anybody can write them. Where a
 * provider does not say which domain signs, it is the host of the address and not the domain above, because nobody else
 * can sign for it.
 */
export const feedbackLoops: readonly FeedbackLoop[] = [
  // Also AOL and all other domains of Yahoo
  {
    provider: 'Yahoo',
    signer: 'arf.mail.yahoo.com',
    from: '*',
    source: 'https://senders.yahooinc.com/faqs/',
  },
  // For Comcast, Gandi, La Poste, Mail.ru, SFR, Yandex and others, each from an address at a host of its own
  { provider: 'Validity Universal Feedback Loop', signer: 'senderscore.net', from: '*', source: VALIDITY },
  {
    provider: 'Comcast',
    signer: 'feedback.comcast.net',
    from: '*',
    source: 'http://feedback.comcast.net/faq.php',
  },
  // The Junk Mail Reporting Program of Outlook.com
  {
    provider: 'Microsoft',
    signer: 'hotmail.com',
    from: 'staff@hotmail.com',
    source: 'https://postmaster.live.com/snds/JMRP.aspx',
  },
  { provider: 'Fastmail', signer: 'fbl.fastmail.com', from: '*', source: ABUSEIO },
  { provider: 'Cox', signer: 'fbl.cox.net', from: '*', source: ABUSEIO },
  { provider: 'Italiaonline', signer: 'fbl.italiaonline.net', from: '*', source: ABUSEIO },
  { provider: 'OpenSRS', signer: 'fbl.hostedemail.com', from: '*', source: ABUSEIO },
  { provider: 'Rackspace', signer: 'fbl.apps.rackspace.com', from: '*', source: ABUSEIO },
  { provider: 'Rackspace', signer: 'feedback.apps.rackspace.com', from: '*', source: ABUSEIO },
  { provider: 'Synacor', signer: 'fbl.synacor.com', from: '*', source: ABUSEIO },
  { provider: 'Terra', signer: 'feedback.terra.com', from: '*', source: ABUSEIO },
  { provider: 'USA.NET', signer: 'fbl.usa.net', from: '*', source: ABUSEIO },
  { provider: 'Zoho', signer: 'fbl.zoho.com', from: '*', source: ABUSEIO },
];

/**
 * The feedback loop that a report with this signature belongs to; null if it is from somebody else.
 * @param signer the domain of the signature, in lower case
 * @param from the address in From, in lower case
 */
export function findFeedbackLoop({ signer, from }: { signer: string; from: string }): FeedbackLoop | null {
  const host = from.slice(from.lastIndexOf('@') + 1);
  const isFrom = (loop: FeedbackLoop) =>
    loop.from === '*' ? `.${host}`.endsWith(`.${loop.signer}`) : loop.from === from;
  return feedbackLoops.find((loop) => loop.signer === signer && isFrom(loop)) ?? null;
}
