import type { BounceRule } from './bounce-rule.js';
import {
  ABOUT_MESSAGE,
  CODE_IS_A_GUESS,
  DNS_FAULT,
  LOOKED_UP_MX,
  MAILBOX_UNAVAILABLE,
  MAILBOX_UNAVAILABLE_ALONE,
  NOT_ABOUT_ADDRESS,
  NOT_THE_MAILBOX_NOR_MESSAGE,
} from './refusal-words.js';
import { rulesAboutUs } from './rules-about-us.js';

const GMAIL = 'Google, "Gmail SMTP errors and codes"';
const MICROSOFT = 'Microsoft, "Email non-delivery reports and SMTP errors" and "Outlook.com Postmaster"';
const YAHOO = 'Yahoo, "SMTP error codes"';
const IANA = 'IANA, "SMTP Enhanced Status Codes"';

/**
 * The first rule that matches decides. Servers use the same code for different reasons, so rules for specific
 * servers come first, and rules for codes that may mean anything come last.
 */
export const bounceRules: readonly BounceRule[] = [
  ...rulesAboutUs,
  // Rules for servers whose codes are misleading, and for codes that are clear without the text.
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
    text: /\breceiving (?:mail|email|messages) (?:at a rate|too quickly)|\bunusual rate of|\brate[- ]?limit|\btoo many (?:messages|e?mails|connections|concurrent|recipients this|(?:\w+ ){1,3}(?:recipients|addresses|users|mailboxes)\b)|\b(?:high|large|excessive|maximum|limit) (?:number |volume )?of (?:\w+ ){0,3}(?:messages|e?mails|connections|recipients|addresses|users|mailboxes)\b|(?:sending|message|connection) (?:rate|limit)s? (?:has been )?exceeded|exceeded (?:the |your )?(?:maximum )?(?:sending|message|connection|hourly|daily|rate)|messages? (?:per|an) (?:hour|minute|second|day)|\bthrottl|\bslow down|\b(?:sending|sender|daily|hourly|outgoing|outbound) (?:\w+ ){0,3}(?:quota|limit)|\b(?:quota|limit)s? (?:\w+ ){0,3}(?:for|of|by) (?:this |the |your )?(?:sen(?:der|ding)|IP|per (?:day|hour))|your (?:\w+ )?quota|\bRP-00\d\b|limits for how many messages/i,
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
      '552 5.2.2 The recipient is over quota and inactive',
    ],
    source: GMAIL,
  },
  {
    class: 'bad_mailbox',
    text: /RESOLVER\.ADR\.(?!\w*Limit)|RecipientNotFound|SMTPSEND\.Recipient(?!\w*Limit)/i,
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
    class: 'reputation',
    text: /\bS(?:3140|3150)\b|\bTS(?:S)?0[1-9]\b|\bOU-00[1-9]\b|AUP#|\bS77719\b|part of their network is on our block list/i,
    samples: [
      "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).",
      '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints',
      '550 SC-001 (OU-002) Mail rejected by Outlook.com for policy reasons.',
    ],
    source: `${MICROSOFT}; ${YAHOO}`,
  },
  // The server refuses us: it distrusts our IP address or domain, or gets too much mail from us.
  {
    class: 'rate',
    enhanced: /^[45]\.(?:7\.28|4\.5)$/,
    samples: [
      '421 4.7.28 Try again later',
      '550 5.7.28 Mail from your domain was blocked for now',
      '550 5.4.5 Mail system congestion',
    ],
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
    matchesWholeReply: true,
    text: /\b(?:sender\b|return[- ]path\b|envelope[- ]from\b|mail from:).{0,40}\b(?:rejected|invalid|unknown|not found|does not exist|doesn't exist|verif|refused|denied|undeliverable)|(?:verif\w*|callout|callback).{0,20}\bsender|\bsender\b.{0,40}\b(?:malformed|format|syntax|not (?:allowed|permitted|authori[sz]ed|valid|known))|\b(?:invalid|unknown|bad|illegal|malformed|non-?existent|unresolvable) (?:envelope |mail )?(?:sender|return[- ]path)\b|\bfrom:?>? (?:header|field|address)|header from\b|\byour (?:e-?mail |mail |sender )?address\b(?! book)|\b(?:HELO|EHLO) (?:argument|name|command|host(?:name)?|is|not|must|rejected|does)\b|\b(?:invalid|bad|unknown|malformed) (?:HELO|EHLO)\b/i,
    samples: [
      '550 Sender verify failed: user unknown',
      '550 <bounce@example.com>: Sender address rejected: undeliverable address',
      '553 sorry, your envelope sender domain does not exist',
      '550 5.1.3 Invalid sender address format',
      '550 Invalid address in From header',
      '550 Your address is unknown here',
      '550 HELO argument is not a valid hostname',
    ],
    source: 'Postfix, reject_unknown_sender_domain, reject_unverified_sender; Exim, sender verification',
  },
  {
    class: 'reputation',
    matchesWholeReply: true,
    text: /\b(?:your|sending|sender|outbound|for this) (?:account|mailbox|user)\b|(?:disabled|suspended|blocked|locked|banned|restricted|deactivated) (?:for|from) (?:sending|posting|outbound|outgoing)|bad outbound sender|\bcertificate\b|\bIP(?: address)? (?:is )?(?:unknown|not found)/i,
    samples: ['550 5.7.1 Bad outbound sender', '554 5.7.1 This user is restricted from sending'],
    source: 'Postfix, Exim; what a relay says when it refuses to send for us',
  },
  {
    class: 'bad_domain',
    exceptText: DNS_FAULT,
    text: LOOKED_UP_MX,
    samples: [
      'unable to get mx info: failed to get IPs from PTR record: lookup: unrecognized address',
      'unable to get mx info: failed to get IPs from PTR record: lookup example.net: no such host',
    ],
    source: 'SendGrid, about the MX records of the recipient',
  },
  {
    class: 'authentication',
    matchesWholeReply: true,
    exceptText: LOOKED_UP_MX,
    text: /\b(?:SPF|DKIM|DMARC|rDNS\w*)\b|unauthenticated|\bPTR\b|\b(?:reverse|rDNS)[- ](?:DNS|record|lookup|hostname)|\bno PTR|reverse DNS|DNS (?:MX|PTR|A)\b.{0,20} resource record|does not (?:have|resolve to) a (?:valid )?(?:PTR|hostname)/i,
    samples: [
      '550 5.7.1 Message rejected: DMARC policy of example.com is reject',
      '550 Refused: your server has no PTR record',
    ],
    source: 'RFC 7208, 7489',
  },
  {
    class: 'reputation',
    matchesWholeReply: true,
    text: /spamhaus|barracuda|spamcop|\bsorbs|uceprotect|cloudmark|proofpoint|senderscore|\b(?:rbl|dnsbl|dbl|sbl|xbl|pbl)\b|block[- ]?list|black[- ]?list|deny[- ]?list|blocked (?:using|by|for abuse)|reputation|\bbl(?=[./?])|[?&]c=(?!bm\b)\w|(?:\[?\d+\.\d+\.\d+\.\d+\]?|host|\bIP|server)(?: is| was)? listed (?:at|in|on|by)|(?:\bIP|host|server|address|network|client)(?: address)?\S* (?:is |has been |was )?(?:blocked|banned|refused|rejected due)|banned sending|refused to talk to me|\b(?:your|sending|originating|connecting) (?:IP|(?:mail |e-?mail )?(?:server|domain|host(?:name)?)|network)\b|not (?:on|in) (?:our|the|a|any) (?:white|allow)[- ]?list|does not accept (?:any )?(?:e-?mail|messages?|connections?) from|\bdynamic (?:hosts?|IPs?|address|ranges?)|\bour (?:\w+ )?list:? \[?\d+\.\d+\.\d+\.\d+|\bha(?:s|ve) listed (?:you\b|\[?\d+\.\d+\.\d+\.\d+)/i,
    samples: [
      '550 5.7.1 Gmail has detected that this message is likely suspicious due to the very low reputation of the sending domain',
      '550 Your domain is not allowed to send to this server',
      '550 this server does not accept mail from dynamic hosts',
      '550 5.7.1 message refused, see our list: 192.0.2.42',
      '550 5.7.1 our network has listed you',
    ],
    source: `Postfix, reject_rbl_client; ${GMAIL}; ${MICROSOFT}; GMX, whose links say "bm" for a bad mailbox`,
  },
  // The server refuses the recipient.
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
    text: /\bover ?quota|quota (?:has been )?exceeded|exceeds? .{0,20}quota|mailbox (?:is |has been )?(?:full|exceeded)\b|mail ?box size limit|\bout of (?:storage|disk)|insufficient (?:disk|storage) space|exceeded storage allocation|account is full\b/i,
    samples: ['552 Requested mail action aborted: exceeded storage allocation', '550 jane: mailbox is full'],
    source: 'RFC 5321, 4.2.2; Dovecot, quota plugin',
  },
  {
    class: 'inactive',
    enhanced: /^5\.(?:2\.1|1\.6)$/,
    exceptText: CODE_IS_A_GUESS,
    samples: [
      '550 5.2.1 The email account that you tried to reach is disabled.',
      '550 5.1.6 Recipient no longer on server',
    ],
    source: `${IANA}; ${GMAIL}`,
  },
  {
    class: 'inactive',
    exceptEnhanced: NOT_ABOUT_ADDRESS,
    exceptText: NOT_THE_MAILBOX_NOR_MESSAGE,
    text: /(?:account|mailbox|user|recipient|address)(?:(?:(?!\b(?:message|connection|delivery)\b)[^.;]){0,40}(?:\b|_))?(?:disabled|deactivated|suspended|inactive|not active|closed|discontinued|expired|locked)\b|(?:(?:account|mailbox|user|recipient|address)[^.;]{0,40}|<>:? (?:is )?)no longer (?:active|in use|available|valid)\b|\bno longer works|\bhas moved\b/i,
    samples: ['550 This account has been disabled', '554 jane@example.net: mailbox is no longer in use'],
    source: 'iCloud, GMX, Zimbra',
  },
  {
    class: 'bad_domain',
    enhanced: /^5\.(?:1\.2|1\.10|4\.4|4\.310)$/,
    exceptText: DNS_FAULT,
    samples: [
      '550 5.1.2 Bad destination system address',
      '556 5.1.10 Domain example.net does not accept mail (nullMX)',
    ],
    source: `${IANA}; RFC 7505`,
  },
  {
    class: 'bad_domain',
    exceptEnhanced: NOT_ABOUT_ADDRESS,
    exceptText: DNS_FAULT,
    text: /\bnull ?MX|(?:host|domain)(?: name)? (?:or domain name )?not found|NXDOMAIN|no such (?:host|domain)|domain (?:\S+ )?(?:does not exist|doesn't exist|is not (?:valid|found|known|hosted|configured|handled|served|local|recogni[sz]ed|registered))|unrouteable (?:mail )?domain|unknown (?:host|domain)\b|does not accept (?:any )?(?:mail|email)\b(?! (?:from|with|that|which|over|larger|containing))|all relevant MX records point to non-existent hosts|DNS domain .{0,80} does not exist|\bno (?:MX|mail host)(?: (?:records?|hosts?|found))?(?: (?:for|in)\b|$)/i,
    samples: [
      'Host or domain name not found. Name service error for name=example.net type=MX: Host not found',
      '550 Unknown domain example.net',
      'No MX for example.net',
      'no mail host',
    ],
    source: 'Postfix, Exim, RFC 7505; Mailgun, Mailjet',
  },
  {
    class: 'bad_mailbox',
    enhanced: /^5\.1\.(?:1|3)$/,
    exceptText: CODE_IS_A_GUESS,
    samples: [
      '550 5.1.1 The email account that you tried to reach does not exist.',
      '553 5.1.3 The recipient address is not a valid RFC 5321 address.',
    ],
    source: `${IANA}; ${GMAIL}`,
  },
  {
    class: 'bad_mailbox',
    exceptEnhanced: NOT_ABOUT_ADDRESS,
    exceptText: NOT_THE_MAILBOX_NOR_MESSAGE,
    // A refusal to relay says nothing about the mailbox, even if it mentions an unknown user.
    text: /^(?!.*\brelay(?:ing)? (?:not|denied|access)).*(?:(?:user|recipient|mailbox|account|address|local part|alias)(?:[^;:]{0,60}\b)?(?:unknown|not found|does not exist|doesn't exist|not exist|not listed|invalid|not known|not recognized)\b|\b(?:unknown|invalid|no such|unrouteable|nonexistent|non-existent|bad) (?:local )?(?:user|recipient|mailbox|account|address|destination|person)|no mailbox (?:here )?by that name|user doesn't have|there is no one|not our customer|not a (?:registered|valid|known) (?!IP |sen)(?:[\w-]+ )?(?:user|recipient|mailbox|account|address|customer|alias)|no valid recipient|couldn't find any host|addressee unknown|unknown or illegal alias|not in directory|undeliverable address|recipient address rejected: (?:user(?! quota)|undeliverable))/i,
    samples: [
      '550 jane@example.net: User unknown in virtual mailbox table',
      "554 delivery error: dd This user doesn't have an example.net account",
      'Sorry, no mailbox here by that name.',
      '550 jane@example.net: User unknown in relay recipient table',
    ],
    source: 'Postfix, Exim, qmail, sendmail, Domino',
  },
  {
    class: 'bad_mailbox',
    enhanced: /^5\.(?:7\.[01]|3\.0)$/,
    exceptText: NOT_THE_MAILBOX_NOR_MESSAGE,
    text: /^(?:<>(?::|\.\.\.)? )?(?:recipient address rejected: (?:user(?! quota)|undeliverable|unknown|no such)|recipient (?:not found|unknown)|user (?:unknown|not found)|no such (?:user|recipient|mailbox))/i,
    samples: ['554 5.7.1 <jane@example.net>: Recipient address rejected: User unknown', '550 5.7.1 No such user here'],
    source: 'Postfix and sendmail, with access tables that give the reason',
  },
  {
    class: 'bad_mailbox',
    enhanced: /^5\.1\.0$/,
    text: /^(?:<>:? )?Address rejected\.?(?: <>\.?)?(?: For more information\b.*)?$/i,
    samples: ['550 #5.1.0 Address rejected.', '550 5.1.0 <jane@example.net>: Address rejected'],
    source: 'Cisco Secure Email, conversational LDAP acceptance',
  },
  {
    class: 'bad_mailbox',
    exceptEnhanced: NOT_ABOUT_ADDRESS,
    // Nothing but the name of a rule follows.
    text: /^(?:<>(?::|\.\.\.)? )?(?:no such (?:user|recipient|mailbox)|(?:user|recipient|mailbox) (?:unknown|not found))(?: here)?[ .:]*\((?:policy|rule)\b[\w .-]*\)[ .]*$/i,
    samples: ['550 <jane@example.net> No such user here (policy)', '550 5.5.0 User unknown (policy 12)'],
    source: 'Servers that add the name of the rule',
  },
  // The server refuses this message.
  {
    class: 'content',
    enhanced: /^[45]\.(?:3\.4|2\.3|6\.\d+)$/,
    samples: ['552 5.2.3 Message size exceeds fixed limit', '554 5.6.0 Message contains invalid header'],
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
  // Codes and words that servers use for many reasons.
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
    exceptText: MAILBOX_UNAVAILABLE,
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
    text: /\b8-?bit|bare (?:LF|CR|newline)|line too long|pipelin/i,
    samples: ['554 Transaction failed: 8bit data is not supported', '550 Bare LF received'],
    source: 'RFC 6152; Postfix, smtpd_forbid_bare_newline',
  },
  {
    class: 'reputation',
    enhanced: /^5\.7\.\d+$/,
    text: /(?<!relay )access denied|denied by policy|\bblocked\b/i,
    samples: ['550 5.7.1 Access denied', '554 5.7.1 Mail from this server is denied by policy'],
    source: MICROSOFT,
  },
  {
    class: 'reputation',
    text: /\bpolic(?:y|ies)\b|\bblock(?:ed|ing)\b|\brecipient'?s? preferences?\b/i,
    samples: [
      '550 Recipient has blocked you',
      '550-Requested action not taken: mailbox unavailable 550-Reject due to policy restrictions.',
      '550 Message refused by our policy',
    ],
    source: 'GMX and web.de; Cisco Secure Email',
  },
  // Every server says this, whatever the reason. It decides only if it is all that the server says.
  {
    class: 'bad_mailbox',
    exceptEnhanced: /^(?!5\.[015]\.0$)/,
    exceptText: ABOUT_MESSAGE,
    matchesLinks: true,
    text: MAILBOX_UNAVAILABLE_ALONE,
    samples: [
      '550 Requested action not taken: mailbox unavailable',
      '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)',
    ],
    source: `RFC 5321, 4.2.2; ${MICROSOFT}`,
  },
];
