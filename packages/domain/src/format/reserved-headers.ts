/** A header that a client may not set. */
type ReservedHeader = {
  /** A name that ends with `*` covers every name with that prefix. */
  readonly name: string;
  /** Completes a sentence that starts with the header's name. */
  readonly fault: string;
  /** The document that defines the header. */
  readonly source: string;
};

const isField = (field: string) => `cannot be set as a header. Use the field ${field}`;
const OURS = 'is set by the service. Remove it';
const TRACE = 'is added by mail servers in transit. Remove it';
const REDIRECTS = 'makes some mail servers send copies or errors to other addresses. Remove it';

/**
 * What relays read as commands, by server. KumoMTA, Halon and other programmable servers obey only the names that their
 * operator has chosen, so these are not in the table.
 */
const relayCommands: ReadonlyArray<{
  readonly server: string;
  readonly names: readonly string[];
  readonly source: string;
}> = [
  {
    server: 'Amazon SES',
    names: ['X-SES-*'],
    source: 'https://docs.aws.amazon.com/ses/latest/dg/using-configuration-sets-in-email.html',
  },
  {
    server: 'AhaSend',
    names: ['AhaSend-*'],
    source: 'https://ahasend.com/docs/smtp/special-headers',
  },
  {
    server: 'Alibaba Cloud Direct Mail',
    names: ['X-AliDM-*'],
    source: 'https://www.alibabacloud.com/help/en/direct-mail/track-email-opens-and-clicks-based-on-tags',
  },
  {
    server: 'Azure Communication Services',
    names: ['X-MS-ACSEmail-*'],
    source: 'https://learn.microsoft.com/en-us/azure/communication-services/concepts/email/email-headers',
  },
  {
    server: 'Brevo',
    names: ['X-Mailin-*', 'sender.ip', 'idempotencyKey'],
    source: 'https://developers.brevo.com/docs/smtp-integration',
  },
  {
    server: 'Brevo',
    names: ['X-Sib-*'],
    source: 'https://developers.brevo.com/docs/using-sandbox-mode',
  },
  {
    server: 'Contactlab',
    names: ['X-Clab-*'],
    source: 'https://docs.contactlab.com/docs/development/smartrelay/using-smartrelay/email-headers',
  },
  {
    server: 'Elastic Email',
    names: ['X-ElasticEmail-*', 'X-PostBack', 'IsTransactional', 'PoolName'],
    source: 'https://help.elasticemail.com/en/articles/2376848-how-to-manage-custom-headers',
  },
  {
    server: 'Elastic Email',
    names: ['Channel'],
    source: 'https://help.elasticemail.com/en/articles/3119570-channels-for-smtp-and-api',
  },
  {
    server: 'Emailit',
    names: ['X-Emailit-*'],
    source: 'https://emailit.com/docs/email-api/headers-and-metadata/',
  },
  {
    server: 'EmailDelivery.com',
    names: ['X-Transactional-*', 'X-Auth-APIKey'],
    source: 'https://docs.emaildelivery.com/docs/transactional/transactional-smtp-relay',
  },
  {
    server: 'EmailLabs',
    names: ['X-MailTags'],
    source: 'https://docs.emaillabs.io/smtp-en/tags/',
  },
  {
    server: 'Exchange',
    names: ['X-MS-Exchange-*'],
    source: 'https://learn.microsoft.com/en-us/exchange/header-firewall-exchange-2013-help',
  },
  {
    server: 'GreenArrow',
    names: ['X-GreenArrow-*'],
    source: 'https://greenarrowemail.com/docs/greenarrow-engine/Injecting-Mail/Raw-Injection/Raw-Injection-Headers',
  },
  {
    server: 'Haraka',
    names: ['X-VMTA'],
    source: 'https://github.com/haraka/Haraka/blob/master/docs/plugins/virtual_mta.md',
  },
  {
    server: 'JetEmail',
    names: ['X-Scheduled-At', 'X-Idempotency-Key'],
    source: 'https://support.jetemail.com/outbound/scheduled-sends',
  },
  {
    server: 'KumoMTA',
    names: ['X-KumoRef'],
    source: 'https://docs.kumomta.com/reference/kumo/make_egress_path/',
  },
  {
    server: 'Lettermint',
    names: ['X-LM-*'],
    source: 'https://docs.lettermint.co/platform/emails/tags',
  },
  {
    server: 'MailChannels',
    names: ['X-AuthUser', 'X-MailChannels-*'],
    source: 'https://docs.mailchannels.com/outbound/mta/setup-exim',
  },
  {
    server: 'Mailchimp Transactional',
    names: ['X-MC-*'],
    source: 'https://mandrill.zendesk.com/hc/en-us/articles/360039280433',
  },
  {
    server: 'MailerQ',
    names: ['X-MQ-*'],
    source: 'https://www.mailerq.com/documentation/5.10/mime-headers',
  },
  {
    server: 'Maileroo',
    names: ['X-Maileroo-*'],
    source: 'https://maileroo.com/docs/smtp-relay/advanced-message-options',
  },
  {
    server: 'MailerSend',
    names: ['X-MailerSend-*'],
    source: 'https://developers.mailersend.com/smtp-relay',
  },
  {
    server: 'Mailgun',
    names: ['X-Mailgun-*'],
    source: 'https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/pass-sending-options',
  },
  {
    server: 'Mailjet',
    names: ['X-MJ-*', 'X-Mailjet-*'],
    source: 'https://dev.mailjet.com/docs/smtp_relay/custom_headers',
  },
  {
    server: 'MailPace',
    names: ['X-MailPace-*'],
    source: 'https://docs.mailpace.com/integrations/smtp',
  },
  {
    server: 'Mailtrap',
    names: ['X-MT-*'],
    source: 'https://docs.mailtrap.io/email-api-smtp/advanced/custom-variables',
  },
  {
    server: 'Momentum',
    names: ['X-Binding'],
    source: 'https://support.sparkpost.com/docs/tech-resources/binding-groups',
  },
  {
    server: 'Netcore',
    names: ['X-APIHEADER'],
    source: 'https://developers.pepipost.com/faqs/what-is-x-apiheader',
  },
  {
    server: 'Postal',
    names: ['X-Postal-*', 'X-AMP'],
    source: 'https://docs.postalserver.io/features/click-and-open-tracking',
  },
  {
    server: 'Postmark',
    names: ['X-PM-*'],
    source: 'https://postmarkapp.com/developer/user-guide/send-email-with-smtp',
  },
  {
    server: 'PowerMTA',
    names: ['X-Virtual-MTA', 'X-Job', 'X-Envid', 'X-DKIM-Options'],
    source: "PowerMTA User's Guide, process-x-virtual-mta, -job, -envid and -dkim-options",
  },
  {
    server: 'ReachMail',
    names: ['X-RM-*', 'X-Tracking', 'X-Address'],
    source: 'https://www.reachmail.net/support/article/special-header-processing',
  },
  {
    server: 'Resend',
    names: ['Resend-*'],
    source: 'https://resend.com/docs/dashboard/emails/idempotency-keys',
  },
  {
    server: 'SendGrid',
    names: ['X-SMTPAPI'],
    source: 'https://www.twilio.com/docs/sendgrid/for-developers/sending-email/building-an-x-smtpapi-header',
  },
  {
    server: 'Sendmachine',
    names: ['X-SM-*'],
    source: 'https://developers.sendmachine.com/smtp_headers.html',
  },
  {
    server: 'SMTP2GO',
    names: ['X-SMTP2GO-*'],
    source: 'https://support.smtp2go.com/hc/en-gb/articles/37256328109081-Custom-Headers',
  },
  {
    server: 'SMTPeter',
    names: ['X-SMTPeter-*'],
    source: 'https://github.com/CopernicaMarketingSoftware/Documentation/blob/master/SMTPeter/en/smtp-headers.md',
  },
  {
    server: 'SocketLabs',
    names: ['X-xsMailingId', 'X-xsMessageId'],
    source: 'https://help.socketlabs.com/docs/message-mailing-ids',
  },
  {
    server: 'SparkPost',
    names: ['X-MSYS-*'],
    source: 'https://developers.sparkpost.com/api/smtp/',
  },
  {
    server: 'Tipimail',
    names: ['X-TM-*'],
    source: 'https://docs.tipimail.com/en/integrate/headers',
  },
  {
    server: 'Wooxy',
    names: ['X-Ignore-*', 'X-Message-Priority', 'X-Tags'],
    source: 'https://wooxy.com/knowledge-base/smtp-server/message-tag',
  },
];

/**
 * Every header that a client may not set:
 * - headers that a field of the request sets or that the service writes;
 * - headers in which mail servers record what they did or found in transit, because a forged one would be believed;
 * - headers that a relay obeys. All workspaces share the operator's account at the relay. With such a header, one
 *   workspace could add recipients, skip the account's suppression list, or choose the IP address for its mail.
 *
 * List-Unsubscribe and the other List-* headers (RFC 2369, RFC 8058) are deliberately not listed, because bulk senders
 * need them. The API refuses List-Unsubscribe only in an email for which the service writes it.
 */
export const reservedHeaders: readonly ReservedHeader[] = [
  { name: 'From', fault: isField('from_'), source: 'RFC 5322, 3.6.2' },
  { name: 'To', fault: isField('to'), source: 'RFC 5322, 3.6.3' },
  { name: 'Cc', fault: isField('cc'), source: 'RFC 5322, 3.6.3' },
  { name: 'Bcc', fault: isField('bcc'), source: 'RFC 5322, 3.6.3' },
  { name: 'Reply-To', fault: isField('reply_to'), source: 'RFC 5322, 3.6.2' },
  { name: 'Subject', fault: isField('subject'), source: 'RFC 5322, 3.6.5' },

  { name: 'Sender', fault: OURS, source: 'RFC 5322, 3.6.2' },
  { name: 'Date', fault: OURS, source: 'RFC 5322, 3.6.1' },
  { name: 'Message-ID', fault: OURS, source: 'RFC 5322, 3.6.4' },
  { name: 'MIME-Version', fault: OURS, source: 'RFC 2045, 4' },
  { name: 'Content-*', fault: OURS, source: 'RFC 2045, 3' },
  { name: 'DKIM-Signature', fault: OURS, source: 'RFC 6376, 3.5' },
  // It shows which email a received message belongs to, so a client must not be able to set it to another email's id.
  { name: 'X-Email-ID', fault: OURS, source: 'packages/message/src/build-message.ts' },
  // A provider returns it with each event, so a client could claim the events of other emails.
  { name: 'X-Posthorn-*', fault: OURS, source: 'packages/feedback/src/providers/key.ts' },

  { name: 'Return-Path', fault: TRACE, source: 'RFC 5321, 4.4' },
  { name: 'Received', fault: TRACE, source: 'RFC 5321, 4.4' },
  { name: 'Received-*', fault: TRACE, source: 'RFC 7208, 9.1 (Received-SPF)' },
  { name: 'Authentication-Results', fault: TRACE, source: 'RFC 8601, 5' },
  { name: 'ARC-*', fault: TRACE, source: 'RFC 8617, 4.1' },
  { name: 'DomainKey-Signature', fault: TRACE, source: 'RFC 4870, 3.1' },
  { name: 'X-Original-To', fault: TRACE, source: 'https://www.postfix.org/pipe.8.html' },
  {
    name: 'X-Spam-*',
    fault: TRACE,
    source: 'https://spamassassin.apache.org/full/4.0.x/doc/Mail_SpamAssassin_Conf.html',
  },
  { name: 'Delivered-To', fault: TRACE, source: 'RFC 9228, 3' },
  { name: 'Resent-*', fault: TRACE, source: 'RFC 5322, 3.6.6' },
  {
    name: 'TLS-Required',
    fault: 'lets mail servers send the email without TLS. Remove it',
    source: 'RFC 8689, 5',
  },
  { name: 'Apparently-To', fault: REDIRECTS, source: 'RFC 2076, 3.4' },
  { name: 'Errors-To', fault: REDIRECTS, source: 'RFC 2076, 3.5' },

  ...relayCommands.flatMap(({ server, names, source }) =>
    names.map((name) => ({
      name,
      fault: `is read as a command by ${server}. Remove it or choose another name`,
      source,
    })),
  ),
];
