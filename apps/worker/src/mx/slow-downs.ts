import { type BounceReply, parseReply } from '@posthorn/feedback';
import { findNamedDelay } from '../smtp/named-delay.js';

/**
 * What a site's reply asks us to do.
 * - site_rate: send less to this site from this source
 * - too_many_connections: use fewer connections to this site
 * - mailbox_rate: let this recipient wait. The site is not slowed down
 * - source_refused: use another source address for this site. The recipient is not the reason
 */
export type SlowDownKind = 'site_rate' | 'too_many_connections' | 'mailbox_rate' | 'source_refused';

/** @property delaySeconds that the reply names; null if it names none */
export type SlowDown = { readonly kind: SlowDownKind; readonly delaySeconds: number | null };

/** A rule matches a reply if every condition that it has is met. */
type SlowDownRule = {
  readonly kind: SlowDownKind;
  /** The first digit of the reply code. */
  readonly digit?: 4 | 5;
  /** Matched with the enhanced status code (RFC 3463). */
  readonly enhanced?: RegExp;
  /** Matched with the text without its codes. */
  readonly text?: RegExp;
  /** The rule does not match replies with such a text. */
  readonly exceptText?: RegExp;
  /** Replies that this rule, and no earlier one, matches. */
  readonly samples: readonly [string, string, ...string[]];
  readonly source: string;
};

/** As servers print it: `192.0.2.40`, `[192.0.2.40]` or `2001:db8::40`. */
const IP = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{1,4}:[0-9a-f:]+)\]?`;

/** The domain of an address, such as `jane@host.example`, says nothing about the reason. */
const ADDRESSES = /<?[^\s<>@]{1,64}@[^\s<>@]+>?/g;

const ABOUT_MESSAGE =
  /\b(?:message|content|link|URL|URI|body) (?:\S+ ){0,4}(?:contains?|listed|blocked)\b|\b(?:URL|URI|link)\b/i;

/** The first rule that matches decides. */
export const slowDownRules: readonly SlowDownRule[] = [
  {
    kind: 'source_refused',
    enhanced: /^[45]\.7\.25$/,
    samples: [
      '550 5.7.25 no PTR for 2001:db8::40',
      '550-5.7.25 [2001:db8::40] The IP address sending this message does not have a PTR record setup, or the corresponding forward DNS entry does not point to the sending IP. As a policy, Gmail does not accept messages from IPs with missing PTR records.',
    ],
    source: 'RFC 7372, 3.3; Gmail',
  },
  {
    kind: 'source_refused',
    text: /\bIPv6\b(?:[^.]|\.(?=\S)){0,80}\b(?:guidelines|PTR|SPF|DKIM|authenticat|not (?:accepted|supported|allowed))|\bnot accept\b[^.]{0,40}\bIPv6\b/i,
    samples: [
      '550-5.7.1 IPv6 guidelines (PTR and SPF)',
      '550-5.7.1 [2001:db8::40] Our system has detected that this message does not meet IPv6 sending guidelines regarding PTR records and authentication. Please review https://support.google.com/mail/?p=IPv6AuthError for more information.',
      '450 4.7.26 Service does not accept messages sent over IPv6 [2001:db8::40] unless they pass either SPF or DKIM validation (message not signed)',
    ],
    source: 'Gmail; Microsoft 365',
  },
  {
    kind: 'source_refused',
    text: /\b(?:cannot|can't|unable to) (?:find|resolve) your (?:reverse )?hostname\b|\bPTR (?:resource )?record|\bno (?:PTR|reverse DNS|rDNS)\b|\b(?:reverse DNS|rDNS|PTR)\b.{0,30}\b(?:missing|fail\w*|invalid|required|not (?:found|exist\w*|match))/i,
    samples: [
      '450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.40]',
      '421 4.7.23 The sending IP address does not have a PTR record',
      '554-gmx.net (mxgmx016) Nemesis ESMTP Service not available 554-No SMTP service 554 Bad DNS PTR resource record.',
      '421 resimta-a2p.sys.example.net Reverse DNS failure: Try again later. See https://postmaster.comcast.net/smtp-error-codes.php#RD000001',
    ],
    source: 'Postfix, reject_unknown_client_hostname; GMX and web.de; Comcast',
  },
  {
    kind: 'source_refused',
    exceptText: ABOUT_MESSAGE,
    text: new RegExp(
      String.raw`\bhost\b.{0,80}\b(?:rejected|blocked)\b|\bno SMTP service\b|\bbanned sending IP\b|\bblocked using\b|(?:\bIP|\baddress|\bhost|${IP}) (?:is |was |has been )?(?:blocked|banned|(?:block |deny )?listed)\b|\bon (?:our|a) block ?list\b|\bip is in \S+ list\b|\bipcheck\.|\bIP=\S+ - A problem occurred`,
      'i',
    ),
    samples: [
      '554 5.7.1 Service unavailable; Client host [192.0.2.40] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.40',
      '554 5.7.1 no SMTP service for you here',
      '554-gmx.net (mxgmx116) Nemesis ESMTP Service not available 554-No SMTP service 554 IP address is block listed.',
      '550 5.7.606 Access denied, banned sending IP [192.0.2.40]. To request removal from this list please visit https://sender.office.com/',
      "550 5.7.1 Unfortunately, messages from [192.0.2.40] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).",
      "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.40, because the ip is in Spamhaus's list; see https://postmaster.yahooinc.com/error-codes",
      '550 5.7.0 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.40',
      '550 5.5.0 Adresse IP source bloquee pour incident de spam. Client host blocked for spamming issues. OFR006_102',
      '554 IP=192.0.2.40 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.example.net to clarify.)',
      '550 192.0.2.40 is listed at bl.spamcop.net (127.0.0.2)',
    ],
    source: 'Postfix, reject_rbl_client; Exim; GMX; Microsoft; Yahoo; iCloud, which uses Proofpoint; Orange; T-Online',
  },
  {
    kind: 'too_many_connections',
    text: /\btoo many (?:\w+ ){0,3}(?:connections|sessions)\b|\bconcurrent (?:server |SMTP )?connections?\b.{0,40}\b(?:limit|exceed\w*)|\bconnections? limit (?:exceeded|reached)|\bmaximum (?:number of )?(?:\w+ )?connections\b|\btrop de connexions\b/i,
    samples: [
      '421 4.3.2 too many connections from 192.0.2.40',
      '421 4.7.0 mx.example.net Error: too many connections from 192.0.2.40',
      '421 Too many concurrent SMTP connections; please try again later.',
      '421 4.3.2 The maximum number of concurrent server connections has exceeded a per-source limit, closing transmission channel',
      '432 4.3.2 Concurrent connections limit exceeded.',
      '421 mwinf5c31 Trop de connexions, veuillez verifier votre configuration. Too many connections, slow down. OFR004_104 [104]',
      '421 4.7.0 Too many sessions opened from your IP address',
    ],
    source: 'Postfix; Exim; Microsoft Exchange; Orange; Comcast',
  },
  {
    kind: 'mailbox_rate',
    digit: 4,
    text: /\b(?:user|recipient|mailbox)\b.{0,60}\b(?:receiving (?:mail|e-?mail|messages)|gets? (?:mail|messages)|received? too (?:many|much)|too (?:fast|quickly)|(?:receive|receiving|message) (?:rate|limit))/i,
    samples: [
      '450 4.2.1 this one mailbox gets mail too fast',
      '450-4.2.1 The user you are trying to contact is receiving mail too quickly. Please resend your message at a later time.',
      '450-4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
      '452 4.2.1 The recipient has exceeded their limit for receiving messages per hour',
    ],
    source: 'Gmail; Microsoft Exchange',
  },
  {
    kind: 'mailbox_rate',
    digit: 4,
    text: /\bgr[ea]y[- ]?list/i,
    samples: [
      '450 4.2.0 <jane@example.net>: Recipient address rejected: Greylisted, see http://postgrey.example.org/help/example.net.html',
      '451 4.7.1 Greylisting in action, please come back in 00:05:00',
      '451 Greylisted, please try again in 300 seconds',
    ],
    source: 'Postgrey; milter-greylist; Exim. The site waits for each recipient by itself',
  },
  {
    kind: 'site_rate',
    enhanced: /^[45]\.7\.(?:28|650|651)$/,
    samples: [
      '421 4.7.28 rate of mail from your IP',
      '421-4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP Netblock [192.0.2.0]. To protect our users from spam, mail sent from your IP Netblock has been temporarily rate limited.',
      '451 4.7.650 The mail server [192.0.2.40] has been temporarily rate limited due to IP reputation. For e-mail delivery information, see https://aka.ms/postmaster (S775)',
    ],
    source: 'Gmail; Outlook.com',
  },
  {
    kind: 'site_rate',
    text: /\[TSS?\d\d\]|\bRP-00\d\b|\bS77719\b|\bRL0000\d\d\b/,
    samples: [
      '421 4.7.0 [TSS04] deferred due to unexpected volume',
      '421 4.7.0 [TSS04] Messages from 192.0.2.40 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes',
      '421 4.7.1 [TS03] All messages from 192.0.2.40 will be permanently deferred; Retrying will NOT succeed.',
      "421 RP-001 (COL004-MC1F8) Unfortunately, some messages from 192.0.2.40 weren't sent. Please try again. We have limits for how many messages can be sent per hour and per day.",
      '451 4.7.500 Server busy. Please try again later from [192.0.2.40]. (S77719)',
      '421 4.1.0 192.0.2.40 Throttled - try again later. Please see https://postmaster.comcast.net/smtp-error-codes.php#RL000001',
    ],
    source: 'Yahoo and AOL; Outlook.com; Comcast',
  },
  {
    kind: 'site_rate',
    exceptText: /\b(?:daily|monthly)\b|\brecipients\b|\bthis account\b/i,
    text: /\bunusual rate\b|\brate[- ]?limit|\b(?:sending|sender) rate\b|\brate (?:limit|overlimit|exceeded)|\btoo (?:many|much) (?:\w+ )?(?:messages|e?-?mails?)\b|\bthrottl|\bslow down\b|\b(?:mail )?send(?:ing)? limit\b|\bunexpected volume\b|\blimits for how many messages\b|\bmessages? (?:per|an) (?:hour|minute|second)\b/i,
    samples: [
      '421-4.7.0 [192.0.2.40 15] Our system has detected an unusual rate of unsolicited mail originating from your IP address. To protect our users from spam, mail sent from your IP address has been temporarily blocked.',
      '451 4.7.500 Server busy. Too many messages, please slow down',
      '450-Requested mail action not taken: mailbox unavailable 450 Mail send limit exceeded.',
      '450 4.7.1 Error: too much mail from 192.0.2.40',
      '451 4.7.1 Sender rate overlimit - 42.0 / 1h / 192.0.2.40',
      '454 4.7.0 Throttling failure: Maximum sending rate exceeded.',
      '451 4.7.1 You are sending too many mails. Try again in 15 minutes.',
    ],
    source: 'Gmail; Microsoft 365; GMX; Postfix, anvil; Exim, ratelimit; Amazon WorkMail',
  },
];

type Reply = { readonly code: number | null; readonly text: string };

/** How a refusal by a site slows us down, whatever command it answers; null if it does not. */
export function findSlowDown(reply: Reply): SlowDown | null {
  const rule = findSlowDownRule(reply);
  return rule && { kind: rule.kind, delaySeconds: findNamedDelay(reply.text) };
}

export function findSlowDownRule({ code, text }: Reply): SlowDownRule | null {
  if (code === null || code < 400) return null;
  const reply = parseReply(`${code} ${text}`);
  const stripped = { ...reply, text: reply.text.replace(ADDRESSES, '<>') };
  return slowDownRules.find((rule) => matchesRule(rule, stripped)) ?? null;
}

function matchesRule(rule: SlowDownRule, { code, enhanced, text }: BounceReply): boolean {
  return (
    (rule.digit === undefined || Math.floor((code ?? 0) / 100) === rule.digit) &&
    (rule.enhanced === undefined || (enhanced !== null && rule.enhanced.test(enhanced))) &&
    (rule.text === undefined || rule.text.test(text)) &&
    (rule.exceptText === undefined || !rule.exceptText.test(text))
  );
}
