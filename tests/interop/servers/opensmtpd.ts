import { type MailServer, SERVER_LIMITS } from './mail-server.js';

/**
 * Runs without TLS, because OpenSMTPD 6.8, the version in Debian 12, cannot accept TLS sessions with OpenSSL 3
 * (github.com/OpenSMTPD/OpenSMTPD/issues/1171). Without TLS, it does not offer logins either.
 */
export const opensmtpd: MailServer = {
  packageName: 'opensmtpd',
  requiresTlsAndLogin: false,
  limitsConnections: false,
  asksForLogins: false,
  reportsReplies: false,
  files: ({ port, sinkPort, bounceDomain, bouncePort }) => ({
    '/etc/smtpd.conf': `
smtp max-message-size "${SERVER_LIMITS.messageBytes}"
smtp limit max-rcpt ${SERVER_LIMITS.recipients}
smtp limit max-mails ${SERVER_LIMITS.messagesPerConnection}
listen on 127.0.0.1 port ${port}
action "bounces" relay host "smtp://127.0.0.1:${bouncePort}"
action "sink" relay host "smtp://127.0.0.1:${sinkPort}"
match from any for domain "${bounceDomain}" action "bounces"
match from any for any action "sink"
`,
  }),
  script: () => 'exec smtpd -d',
};
