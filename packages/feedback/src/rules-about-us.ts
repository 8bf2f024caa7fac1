import type { BounceRule } from './bounce-rule.js';

/** An IPv4 address, as servers print it: `192.0.2.1` or `[192.0.2.1]`. */
const IP = String.raw`\[?\d{1,3}(?:\.\d{1,3}){3}\]?`;

/**
 * What a relay says when it refuses us, our account or our message, at any command and with any code. The recipient is
 * not the reason. These rules come before all others.
 */
export const rulesAboutUs: readonly BounceRule[] = [
  {
    class: 'unknown',
    about: 'relaying',
    text: /\brelay(?:ing)?(?: access)? (?:is )?(?:denied|rejected|prohibited|restricted|not (?:allowed|permitted|authori[sz]ed))\b|\b(?:unable|refus\w+|not (?:allowed|permitted|authori[sz]ed)) to relay\b|\b(?:cannot|can't|won't|do not|don't) relay\b|\brelaying to <> (?:denied|prohibited)/i,
    samples: [
      '554 5.7.1 <jane@example.net>: Relay access denied',
      '550 5.7.1 <jane@example.net>... Relaying denied',
      '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain',
      '550 relay not permitted',
    ],
    source: 'Postfix, sendmail, Exchange, Exim',
  },
  {
    class: 'rate',
    about: 'quota',
    exceptEnhanced: /^[45]\.2\.2$/,
    text: /\bdaily (?:\w+ )?(?:sending |message )?(?:limit|quota)\b|\bSubmissionQuotaExceeded|\bmaximum credits exceeded|\b(?:sending|hourly|monthly) (?:message )?(?:quota|limit|credits?) (?:\w+ )?(?:exceeded|reached|exhausted)|\bexceeded (?:the |your )?(?:daily |hourly |monthly )?(?:sending|message) (?:quota|limit)|\bover package quota\b|\breached[_ ](?:daily|monthly)[_ ]quota\b/i,
    samples: [
      '550 5.4.5 Daily user sending limit exceeded.',
      '454 Throttling failure: Daily message quota exceeded.',
      '451 Authentication failed: Maximum credits exceeded',
      '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed to process message',
      'Recipient List over Package Quota',
      'reached_daily_quota',
    ],
    source: 'Google Workspace, Amazon SES, SendGrid, Microsoft, Resend',
  },
  {
    class: 'unknown',
    about: 'login',
    codes: [530, 534, 535, 538],
    samples: ['530 Authentication required', '535 5.7.8 Error: authentication failed'],
    source: 'RFC 4954, 6',
  },
  {
    class: 'unknown',
    about: 'login',
    exceptText: /\bRESOLVER\.RST\b|\bgroup\b|\bdelivery restriction/i,
    text: /\b(?:SMTP )?auth(?:entication)? (?:is )?required\b|\bauthentication (?:unsuccessful|failed)\b|\bmust (?:first )?(?:authenticate|issue a STARTTLS)\b|\bbasic authentication is disabled\b/i,
    samples: ['550 5.7.1 SMTP authentication is required', '451 Authentication failed: Try again'],
    source: 'RFC 4954; Exim, Microsoft',
  },
  {
    class: 'rate',
    about: 'rate',
    text: /\bthrottling failure\b|\bmaximum sending rate\b|\bconcurrent connections? limit\b/i,
    samples: [
      '454 Throttling failure: Maximum sending rate exceeded.',
      '432 4.3.2 Concurrent connections limit exceeded.',
    ],
    source: 'Amazon SES, Microsoft',
  },
  {
    class: 'protocol',
    about: 'recipients',
    exceptText: /\brecipients (?:this|per|in|within)\b/i,
    text: /\btoo many recipients\b/i,
    samples: ['452 4.5.3 Error: too many recipients', '550 5.5.3 Too many recipients'],
    source: 'RFC 5321, 4.5.3.1.10; Postfix',
  },
  {
    class: 'reputation',
    about: 'account',
    text: /\b(?:activate|verify) your (?:\w+ )?account\b|\bsending (?:is |has been |was )?(?:paused|suspended|disabled) for this account\b|\bsending for this account has been suspended\b|\byour (?:\w+ )?account (?:is|has been|was) (?:\w+ )?(?:suspended|disabled|blocked|locked|deactivated|restricted|under review|not active)\b|\bsandbox (?:sub)?domains? (?:are|is) for test|\bis not allowed to send: the domain is unverified\b|^account (?:is )?not (?:yet )?(?:activated|active|validated)\b/i,
    samples: [
      '550 5.7.1 Please activate your account. Check your inbox or log in to your control panel.',
      '554 Message rejected: Sending paused for this account. For more information, please check the inbox of the email address associated with your AWS account.',
      '550 5.7.1 Your account has been suspended',
      '421 4.7.0 Sandbox subdomains are for test purposes only. Please add your own domain or add the address to authorized recipients.',
      '554 5.7.1 Domain sandbox0123.mailgun.example is not allowed to send: The domain is unverified and requires DNS configuration.',
      'account not yet activated',
    ],
    source: 'Mailgun, Amazon SES, Postfix, Brevo',
  },
  {
    class: 'authentication',
    about: 'sender',
    text: /\bdoes not match a verified sender identity\b|\bemail address is not verified\b|\bSendAsDenied\b|\bnot allowed to send as\b|\bpermissions? to send as\b|\bnot owned by (?:user|the authenticated)\b|\bnot (?:allowed|permitted|authori[sz]ed) to send (?:on behalf of|mail as)\b|\bnot a (?:confirmed )?sender signature\b|\b(?:unconfigured|unverified) sending domain\b|\bsending domain (?:is )?(?:not configured|unverified|unconfigured)\b/i,
    samples: [
      '550 The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved.',
      '554 Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: news@shop.example',
      '554 5.2.252 SendAsDenied; relay@shop.example not allowed to send as news@shop.example',
      '553 5.7.1 <news@shop.example>: Sender address rejected: not owned by user relay',
      "The 'From' address you supplied (news@shop.example) is not a Sender Signature on your account.",
      '550 5.7.1 Sending domain not configured',
      '550 5.7.1 Unconfigured Sending Domain <shop.example>',
    ],
    source: 'SendGrid, Amazon SES, Microsoft, Postfix (reject_sender_login_mismatch), Postmark, SparkPost',
  },
  {
    class: 'authentication',
    about: 'blocked',
    text: /\bclient host rejected: cannot find your (?:reverse )?hostname\b|\bDNS PTR resource record\b/i,
    samples: [
      '450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.40]',
      '554 Client host rejected: cannot find your reverse hostname, [192.0.2.1]: no reverse DNS',
      '554-No SMTP service 554 Bad DNS PTR resource record.',
    ],
    source: 'Postfix, reject_unknown_client_hostname; web.de',
  },
  {
    class: 'reputation',
    about: 'blocked',
    matchesWholeReply: true,
    exceptText: /\b(?:message|content|link|URL|URI|body)\b/i,
    text: new RegExp(
      String.raw`\bclient host\b.{0,80}\b(?:rejected|blocked)\b|\bno SMTP service\b|\bbanned sending IP\b|(?:\bIP|\baddress|\bhost|${IP}) (?:is |was |has been )?(?:blocked|listed|banned|black[- ]?listed)\b|\byour (?:IP|mail ?server|host)\b.{0,40}\b(?:blocked|banned|listed|black[- ]?list|block[- ]?list)`,
      'i',
    ),
    samples: [
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
      '554 5.7.1 no SMTP service for you here',
      '550 5.7.606 Access denied, banned sending IP [192.0.2.1]',
      '550 192.0.2.1 is listed at bl.spamcop.net',
    ],
    source: 'Postfix, reject_rbl_client; Exim; Microsoft',
  },
  {
    class: 'content',
    about: 'message',
    enhanced: /^[45]\.3\.4$/,
    samples: ['552 5.3.4 Message size exceeds fixed limit', '552 5.3.4 Message is too long.'],
    source: 'IANA, "SMTP Enhanced Status Codes"',
  },
  {
    class: 'content',
    about: 'message',
    text: /\bduplicate header\b|^(?:message|email) size (?:limit )?exceeded\b/i,
    samples: [
      "554 Transaction failed: Duplicate header 'DKIM-Signature'.",
      '550 5.7.1 Duplicate header: From',
      'MESSAGE SIZE EXCEEDED',
    ],
    source: 'Amazon SES, SparkPost',
  },
];
