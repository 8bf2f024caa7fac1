import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startChild, stopChild, waitUntilReady } from '@posthorn/servers';

/** Downloading and installing a package takes most of this time. */
const START_MS = 300_000;
const STOP_MS = 10_000;
const MAX_OUTPUT_BYTES = 10_000_000;
const PROGRAMS = ['apt-get', 'setpriv', 'unshare', 'mount', 'chroot'];

/** What to run with a Debian package. */
type PackageScript = {
  readonly packageName: string;
  /** By absolute path. */
  readonly files: Readonly<Record<string, string>>;
  /** A shell script. */
  readonly script: string;
};

/** A server from a Debian package, which the script runs in the foreground. */
export type IsolatedPackage = PackageScript & {
  /** The loopback port on which it listens. */
  readonly port: number;
  /**
   * The codename of a release of the machine's distribution. The package of that release is unpacked in RELEASE_FOLDER,
   * with everything that it needs, and is not configured. `script` runs outside, and `files` are inside.
   */
  readonly release?: string | undefined;
};

/** Where the package of a given release is, in the copy of the file system. */
export const RELEASE_FOLDER = '/release';

export type RunningPackage = {
  /** Where `files` are on this machine. */
  readonly filesFolder: string;
  /** kill -9 of all processes of this program. @throws Error if there are none */
  kill(program: string): void;
  close(): Promise<void>;
};

/**
 * @param programs what is needed beside apt-get and the tools for a copy of the file system
 * @returns why packages cannot be installed on this machine, and what they need; null if they can
 */
export function findObstacle(programs: readonly string[] = []): string | null {
  const missing = [...PROGRAMS, ...programs].filter(
    (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0,
  );
  if (missing.length > 0)
    return `${missing.join(', ')} cannot be found. Run this on Debian or Ubuntu, with util-linux${programs.map((name) => ` and ${name}`).join('')} installed.`;
  if (process.getuid?.() !== 0) return 'It installs packages, so it must run as root.';
  const mayMount = spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  if (mayMount.status !== 0)
    return 'This machine does not allow root to mount file systems. In Docker, add --privileged.';
  return null;
}

/**
 * Installs a package and starts its server, both in a copy of the file system that disappears with the server. This
 * leaves the machine unchanged, and allows testing packages that conflict with each other.
 */
export async function startIsolatedPackage({
  packageName,
  port,
  files,
  script,
  release,
}: IsolatedPackage): Promise<RunningPackage> {
  const { folder, filesFolder } = writeFiles({ packageName, files, script });
  const args = isolated(inCopyOfSystem(folder, packageName, release));
  const child = await startChild({ name: packageName, program: 'setpriv', args }, join(folder, 'log'));
  await waitUntilReady(child, () => isListening(port), START_MS);
  return {
    filesFolder,
    kill(program) {
      const pids = listDescendants(child.pid).filter((pid) => readName(pid) === program);
      if (pids.length === 0) throw new Error(`No ${program} is running`);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
    },
    async close() {
      await stopChild(child, 'SIGKILL', STOP_MS);
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Installs a package in a copy of the file system and runs a script there until it ends.
 * @returns what the script and the installation printed @throws Error that has this text if the script fails
 */
export async function runIsolatedPackage(wanted: PackageScript): Promise<string> {
  const { folder } = writeFiles(wanted);
  try {
    const args = isolated(inCopyOfSystem(folder, wanted.packageName));
    const options = { timeout: START_MS, maxBuffer: MAX_OUTPUT_BYTES };
    const { stdout, stderr } = await promisify(execFile)('setpriv', args, options);
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`The script with ${wanted.packageName} failed:\n${stdout}${stderr}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeFiles({ packageName, files, script }: PackageScript): { folder: string; filesFolder: string } {
  const folder = mkdtempSync(join(tmpdir(), `posthorn-${packageName}-`));
  const filesFolder = join(folder, 'files');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(filesFolder, path)), { recursive: true });
    writeFileSync(join(filesFolder, path), text);
  }
  writeFileSync(join(folder, 'run.sh'), script);
  return { folder, filesFolder };
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
function inCopyOfSystem(folder: string, packageName: string, release?: string): string {
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
${release === undefined ? installScript(packageName) : unpackScript(packageName, release)}
cp -R files/. system/root${release === undefined ? '' : RELEASE_FOLDER}/
chroot system/root sh -e ${folder}/run.sh
exit $?
`;
}

function installScript(packageName: string): string {
  return `
install() { chroot system/root apt-get -q -y install --no-install-recommends ${packageName}; }
install || { chroot system/root apt-get -q update; install; }`;
}

/** Without a list of installed packages, apt-get downloads all that the package needs. */
function unpackScript(packageName: string, release: string): string {
  return `
. /etc/os-release
find system/root/etc/apt/sources.list* -type f -exec sed -i "s/$VERSION_CODENAME/${release}/g" {} +
: > system/root/tmp/installed
rm -f system/root/var/cache/apt/archives/*.deb
chroot system/root apt-get -q update
chroot system/root apt-get -o Dir::State::status=/tmp/installed -q -y install --download-only --no-install-recommends ${packageName}
mkdir system/root${RELEASE_FOLDER}
for package in system/root/var/cache/apt/archives/*.deb; do dpkg -x $package system/root${RELEASE_FOLDER}; done
for name in bin lib lib64 sbin; do
  [ -e system/root${RELEASE_FOLDER}/$name ] || ln -s usr/$name system/root${RELEASE_FOLDER}/$name
done`;
}

function listDescendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...listDescendants(child)]);
}

function readName(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
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
