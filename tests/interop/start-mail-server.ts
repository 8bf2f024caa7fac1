import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort, startChild, stopChild, waitUntilReady } from '@posthorn/servers';
import { answerLogins } from './answer-logins.js';
import type { MailServer, Settings } from './servers/mail-server.js';

/** Downloading and installing a package takes most of this time. */
const START_MS = 300_000;
const STOP_MS = 10_000;

export type RunningMailServer = {
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
const PROGRAMS = ['apt-get', 'setpriv', 'unshare', 'mount', 'chroot', 'openssl'];

/** @returns why these tests cannot run on this machine, and what they need; null if they can */
export function findObstacle(): string | null {
  const missing = PROGRAMS.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0)
    return `${missing.join(', ')} cannot be found. Run the tests on Debian or Ubuntu, with util-linux and openssl installed.`;
  if (process.getuid?.() !== 0) return 'The tests install packages, so they must run as root.';
  const mayMount = spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  if (mayMount.status !== 0)
    return 'This machine does not allow root to mount file systems. In Docker, add --privileged.';
  return null;
}

/**
 * Installs a mail server and starts it on a loopback port, both in a copy of the file system that disappears with the
 * server. This leaves the machine unchanged, and allows testing packages that conflict with each other.
 * @param ports where the server forwards mail, and where it sends bounces
 */
export async function startMailServer(server: MailServer, ports: ForwardingPorts): Promise<RunningMailServer> {
  const folder = mkdtempSync(join(tmpdir(), `posthorn-interop-${server.packageName}-`));
  const [port, logins] = [await freePort(), await answerLogins(USER, PASSWORD)];
  const settings = {
    port,
    ...ports,
    bounceDomain: BOUNCE_DOMAIN,
    loginPort: logins.port,
    user: USER,
    password: PASSWORD,
    ...TLS_FILES,
  };
  writeFiles(folder, server, settings);
  const program = { name: server.packageName, program: 'setpriv', args: isolated(inCopyOfSystem(folder, server)) };
  const child = await startChild(program, join(folder, 'log'));
  await waitUntilReady(child, () => isListening(port), START_MS);
  return {
    url: server.requiresTlsAndLogin
      ? `smtp://${USER}:${PASSWORD}@127.0.0.1:${port}?requireTLS=true&tls.rejectUnauthorized=true`
      : `smtp://127.0.0.1:${port}`,
    env: { NODE_EXTRA_CA_CERTS: join(folder, 'files', TLS_FILES.certificateFile) },
    refuseLogins: () => logins.refuse(),
    allowLogins: () => logins.allow(),
    async close() {
      await stopChild(child, 'SIGKILL', STOP_MS);
      await logins.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Writes the files that are copied into the server's file system, and the script that starts the server. */
function writeFiles(folder: string, server: MailServer, settings: Settings): void {
  const files = join(folder, 'files');
  for (const [path, text] of Object.entries(server.files(settings))) {
    mkdirSync(dirname(join(files, path)), { recursive: true });
    writeFileSync(join(files, path), text);
  }
  mkdirSync(join(files, dirname(TLS_FILES.keyFile)), { recursive: true });
  const { keyFile, certificateFile } = TLS_FILES;
  const paths = ['-keyout', join(files, keyFile), '-out', join(files, certificateFile)];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  execFileSync('openssl', [...kind, ...name, ...paths], { stdio: 'ignore' });
  writeFileSync(join(folder, 'run.sh'), server.script(settings));
}

/**
 * The arguments that run a script with its own mounts and PIDs. Its processes end with this one, even if it is killed.
 */
function isolated(script: string): string[] {
  const unshare = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private'];
  return ['--pdeathsig=KILL', ...unshare, 'sh', '-ec', script];
}

/**
 * A shell script that stays the first process of its PID namespace, so that the kernel ends all the others when it is
 * killed. Without policy-rc.d, the package would start its own service (invoke-rc.d(8)).
 */
function inCopyOfSystem(folder: string, { packageName }: MailServer): string {
  return `
cd ${folder}
mkdir system
mount -t tmpfs -o size=2g tmpfs system
mkdir system/changes system/work system/root
mount -t overlay -o lowerdir=/,upperdir=system/changes,workdir=system/work overlay system/root
mount --rbind /dev system/root/dev
mount -t proc proc system/root/proc
rm -f system/root/etc/resolv.conf
cp -L /etc/resolv.conf system/root/etc/resolv.conf
printf '#!/bin/sh\\nexit 101\\n' > system/root/usr/sbin/policy-rc.d
chmod 755 system/root/usr/sbin/policy-rc.d
export DEBIAN_FRONTEND=noninteractive
install() { chroot system/root apt-get -q -y install --no-install-recommends ${packageName}; }
install || { chroot system/root apt-get -q update; install; }
cp -R files/. system/root/
chroot system/root sh -e ${folder}/run.sh
exit $?
`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
