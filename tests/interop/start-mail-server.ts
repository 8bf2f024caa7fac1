import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@posthorn/servers';
import { startIsolatedPackage } from '../rig/isolated-package.js';
import { answerLogins } from './answer-logins.js';
import type { MailServer, Settings } from './servers/mail-server.js';

export type RunningMailServer = {
  readonly port: number;
  /** The SMTP URL of the server, with the user name and password if it needs them. */
  readonly url: string;
  /** Environment variables for a worker that uses the server. They make it trust the server's certificate. */
  readonly env: Readonly<Record<string, string>>;
  refuseLogins(): void;
  allowLogins(): void;
  close(): Promise<void>;
};

export type ForwardingPorts = Pick<Settings, 'sinkPort' | 'bouncePort'>;

/** The return paths of the default platform domain. */
const BOUNCE_DOMAIN = 'bounces.posthorn.localhost';
const USER = 'posthorn';
const PASSWORD = 'secret';
const TLS_FILES = { certificateFile: '/etc/interop/certificate.pem', keyFile: '/etc/interop/key.pem' };

/**
 * Installs a mail server and starts it on a loopback port.
 * @param ports where the server forwards mail, and where it sends bounces
 */
export async function startMailServer(
  server: MailServer,
  ports: ForwardingPorts,
  { isMx = false } = {},
): Promise<RunningMailServer> {
  const [port, logins] = [await findFreePort(), await answerLogins(USER, PASSWORD)];
  const settings = {
    port,
    ...ports,
    bounceDomain: BOUNCE_DOMAIN,
    loginPort: logins.port,
    user: USER,
    password: PASSWORD,
    isMx,
    ...TLS_FILES,
  };
  const running = await startIsolatedPackage({
    packageName: server.packageName,
    port,
    files: { ...server.files(settings), ...createCertificate() },
    script: server.script(settings),
  });
  return {
    port,
    url: server.requiresTlsAndLogin
      ? `smtp://${USER}:${PASSWORD}@127.0.0.1:${port}?requireTLS=true&tls.rejectUnauthorized=true`
      : `smtp://127.0.0.1:${port}`,
    env: { NODE_EXTRA_CA_CERTS: join(running.filesFolder, TLS_FILES.certificateFile) },
    refuseLogins: () => logins.refuse(),
    allowLogins: () => logins.allow(),
    async close() {
      await running.close();
      await logins.close();
    },
  };
}

/** @returns the files of a new certificate for 127.0.0.1 */
function createCertificate(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-certificate-'));
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  execFileSync('openssl', [...kind, ...name, '-keyout', keyFile, '-out', certificateFile], { stdio: 'ignore' });
  const files = {
    [TLS_FILES.keyFile]: readFileSync(keyFile, 'utf8'),
    [TLS_FILES.certificateFile]: readFileSync(certificateFile, 'utf8'),
  };
  rmSync(folder, { recursive: true });
  return files;
}
