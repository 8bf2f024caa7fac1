import { type MailServer, SERVER_LIMITS } from './mail-server.js';

/** Postfix does not check passwords itself. It asks another server to do so, over Dovecot's protocol. */
export const postfix: MailServer = {
  packageName: 'postfix',
  requiresTlsAndLogin: true,
  limitsConnections: true,
  asksForLogins: true,
  reportsReplies: true,
  files: ({ sinkPort, bounceDomain, bouncePort, loginPort, certificateFile, keyFile }) => ({
    '/etc/postfix/main.cf': `
compatibility_level = 3.6
myhostname = postfix.interop.test
mydestination =
mynetworks =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
alias_maps =
relayhost = [127.0.0.1]:${sinkPort}
transport_maps = inline:{ ${bounceDomain}=smtp:[127.0.0.1]:${bouncePort} }
smtp_tls_security_level = none
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_tls_cert_file = ${certificateFile}
smtpd_tls_key_file = ${keyFile}
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${loginPort}
smtpd_relay_restrictions = permit_sasl_authenticated, reject
message_size_limit = ${SERVER_LIMITS.messageBytes}
smtpd_recipient_limit = ${SERVER_LIMITS.recipients}
smtpd_client_connection_count_limit = ${SERVER_LIMITS.connections}
smtpd_client_event_limit_exceptions =
maillog_file = /dev/stdout
`,
  }),
  script: ({ port }) => `
postconf -F '*/*/chroot = n'
postconf -M# smtp/inet
postconf -M ${port}/inet='127.0.0.1:${port} inet n - n - - smtpd'
exec postfix start-fg
`,
};
