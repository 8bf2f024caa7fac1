import { type MailServer, SERVER_LIMITS } from './mail-server.js';

const GREYLIST_PORT = 10_023;
/** Postgrey lets in a sender after three seconds. Without it, Postfix takes everybody. */
const GREYLIST = `
apt-get -q -y install --no-install-recommends postgrey || true
! command -v postgrey || postgrey --inet=127.0.0.1:${GREYLIST_PORT} --delay=3 -d
`;

/** Postfix does not check passwords itself. It asks another server to do so, over Dovecot's protocol. */
export const postfix: MailServer = {
  packageName: 'postfix',
  requiresTlsAndLogin: true,
  limitsConnections: true,
  asksForLogins: true,
  reportsReplies: true,
  files: ({ sinkPort, bounceDomain, bouncePort, loginPort, isMx, certificateFile, keyFile }) => ({
    '/etc/postfix/main.cf': `
compatibility_level = 3.6
myhostname = postfix.interop.test
mydestination =
mynetworks = ${isMx ? '127.0.0.0/8' : ''}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
alias_maps =
relayhost = [127.0.0.1]:${sinkPort}
transport_maps = inline:{ ${bounceDomain}=smtp:[127.0.0.1]:${bouncePort} }
smtp_tls_security_level = none
smtpd_tls_security_level = ${isMx ? 'may' : 'encrypt'}
smtpd_tls_auth_only = yes
smtpd_tls_cert_file = ${certificateFile}
smtpd_tls_key_file = ${keyFile}
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${loginPort}
smtpd_relay_restrictions = ${isMx ? 'permit_mynetworks' : 'permit_sasl_authenticated'}, reject
smtpd_recipient_restrictions = ${isMx ? `check_policy_service inet:127.0.0.1:${GREYLIST_PORT}` : ''}
smtpd_policy_service_default_action = DUNNO
message_size_limit = ${SERVER_LIMITS.messageBytes}
smtpd_recipient_limit = ${SERVER_LIMITS.recipients}
smtpd_client_connection_count_limit = ${SERVER_LIMITS.connections}
smtpd_client_event_limit_exceptions =
maillog_file = /dev/stdout
`,
  }),
  script: ({ port, isMx }) => `
${isMx ? GREYLIST : ''}
postconf -F '*/*/chroot = n'
postconf -M# smtp/inet
postconf -M ${port}/inet='127.0.0.1:${port} inet n - n - - smtpd'
exec postfix start-fg
`,
};
