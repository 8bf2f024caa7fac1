/**
 * Codes about the mail system, the message, security, policy, and a message that expired. An account or address in such
 * a reply may be ours.
 */
export const NOT_ABOUT_ADDRESS = /^[45]\.(?:[367]\.|4\.7$)/;

export const MAILBOX_UNAVAILABLE = /mailbox (?:is )?(?:unavailable|not available)/i;

/** Besides it, there is at most an address, an id of the server or a link. */
export const MAILBOX_UNAVAILABLE_ALONE =
  /^(?:\S+ )?(?:requested (?:mail )?action (?:not taken|aborted)[:;,.]? )?mailbox (?:is )?(?:unavailable|not available)(?: or access denied)?(?: for \S+)?!?(?:[ .]*(?:\([^)]*\)|\[[^\]]*\]|<[^>]*>|(?:for explanation visit |see )?https?:\S+(?= |$)))*[ .]*$/i;

/** The name servers could not be asked, which says nothing about the domain. */
export const DNS_FAULT =
  /try again|malformed|unexpected name server|servfail|timed? ?out|temporar|lookup (?:failure|error|did not complete)/i;

/** A relay could not find out where the recipient's domain takes its mail. It may mention a PTR record, but not ours. */
export const LOOKED_UP_MX = /^unable to get mx info\b/i;

/** What is wrong with the message. Such a reply may also mention the mailbox that it was for. */
export const ABOUT_MESSAGE = /\bspam\b|\bvirus|malware|phish|unsolicited|\bpolic(?:y|ies)\b/i;

/**
 * sendmail and others write codes about the address whatever the reason is, such as the message, or what its recipient
 * has chosen.
 */
const REFUSES_MESSAGE =
  /\b(?:message|mail|content)s? (?:(?:is|was|has been) )?(?:blocked|rejected|refused|denied|not accepted)|due to (?:its |the |message )?content|\bblock(?:s|ed|ing)?\b|\blimits?\b|\bnot (?:want|wish|(?:allowed|permitted|authori[sz]ed) to (?:send|write|post|e?-?mail))\b/i;

/** What a server says about itself, about us, or about the moment. */
const ABOUT_SERVER =
  /\brelay(?:ing)?(?: access)? denied|(?<!rejected: )\baccess denied|\bauthenticat\w+ (?:is )?required|\bgr[ea]y-?list|\b(?:lookup|verification) (?:failed|failure|error|in progress)|\b(?:internal|server|configuration) (?:server )?error|\bservice (?:is )?(?:currently )?(?:unavailable|not available)|\btoo many\b|\bbusy\b|\bfilter|\bnot accept\w* (?:\w+ ){0,3}from\b/i;

/** A mailbox may be locked for some hours. */
const FOR_NOW = /\btemporar(?:y|ily)\b|\b(?:try|send) (?:it |this |the message )?again (?:later|soon|in|after)\b/i;

/** The mailbox exists, but it takes no mail from us. */
const TAKES_OTHER_MAIL =
  /\bpreferences?\b|\bpermissions?\b|\bnot (?:allowed|permitted|authori[sz]ed) to receive\b|\b(?:external|internal|outside) (?:e?-?mails?|messages?|senders?|addresses|sources)\b(?! (?:server|system|host))/i;

/** The server could not ask the other server whether it knows the address, as it says in a reply of its own. */
const CANNOT_ASK =
  /\bloops? (?:back|detected)\b|\b(?:mail|message|routing|forwarding) loop|\bno route to host\b|\bconnect(?:ion)? (?:to|with|timed|refused)\b|\blost connection\b|\btimed out\b/i;

/** What a reply may say besides an unknown or inactive mailbox. Then it is not about that. */
const NOT_THE_MAILBOX = new RegExp([FOR_NOW, TAKES_OTHER_MAIL, CANNOT_ASK].map(({ source }) => source).join('|'), 'i');
export const NOT_THE_MAILBOX_NOR_MESSAGE = new RegExp(`${NOT_THE_MAILBOX.source}|${ABOUT_MESSAGE.source}`, 'i');
export const CODE_IS_A_GUESS = new RegExp(
  [NOT_THE_MAILBOX, REFUSES_MESSAGE, ABOUT_SERVER].map(({ source }) => source).join('|'),
  'i',
);
