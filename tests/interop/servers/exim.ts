import { type MailServer, SERVER_LIMITS } from './mail-server.js';

export const exim: MailServer = {
  packageName: 'exim4-daemon-light',
  requiresTlsAndLogin: true,
  limitsConnections: true,
  asksForLogins: false,
  reportsReplies: true,
  files: ({ port, sinkPort, bounceDomain, bouncePort, user, password, isMx, certificateFile, keyFile }) => ({
    '/etc/exim4/exim4.conf': `
primary_hostname = exim.interop.test
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
tls_advertise_hosts = *
tls_certificate = ${certificateFile}
tls_privatekey = ${keyFile}
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
message_size_limit = ${SERVER_LIMITS.messageBytes}
recipients_max = ${SERVER_LIMITS.recipients}
recipients_max_reject = false
smtp_accept_max_per_host = ${SERVER_LIMITS.connections}
smtp_accept_max_per_connection = ${SERVER_LIMITS.messagesPerConnection}
smtp_accept_queue_per_connection = 0
acl_smtp_rcpt = acl_rcpt

begin acl
acl_rcpt:
  accept ${isMx ? '' : 'authenticated = *'}
  deny message = authentication required

begin routers
bounces:
  driver = manualroute
  domains = ${bounceDomain}
  transport = sink
  route_list = * 127.0.0.1::${bouncePort}
  self = send

sink:
  driver = manualroute
  domains = *
  transport = sink
  route_list = * 127.0.0.1::${sinkPort}
  self = send

begin transports
sink:
  driver = smtp
  allow_localhost
  hosts_avoid_tls = *
  hosts_try_chunking =

begin retry
* * F,1h,5s

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_set_id = $auth2
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${user}}}{eq{$auth3}{${password}}}}}
`,
  }),
  script: ({ keyFile }) => `
chown Debian-exim ${keyFile}
exec exim4 -bdf -q5s
`,
};
