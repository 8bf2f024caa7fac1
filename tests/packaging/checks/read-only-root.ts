import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort, nodeArgs } from '@posthorn/servers';
import { startSmtpSink } from '@posthorn/testing';
import { ROOT, startServers } from '../../rig/servers.js';
import type { Check } from '../check.js';

const READY = /"msg":"(api_listening|worker_ready)"/;

/**
 * Runs Node as the containers do: every file system is read-only, the user has no rights, and cannot gain any. The first
 * command proves that nothing can be written.
 */
function hardened(args: readonly string[]): [string, string[]] {
  const script = `
awk '$2 !~ "^/(proc|sys|dev)" { print $2 }' /proc/self/mounts | sort -u | while read -r folder; do
  mount -o remount,ro,bind "$folder" 2>/dev/null || mount --bind -o ro "$folder" "$folder"
done
if touch ${ROOT}/written /tmp/written 2>/dev/null; then echo 'The file system can be written to.' >&2; exit 9; fi
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs "$@"`;
  const unshare = ['unshare', '--mount', '--propagation', 'private', 'sh', '-ec', script, 'sh'];
  return ['setpriv', ['--pdeathsig=KILL', ...unshare, process.execPath, ...args]];
}

type Env = Readonly<Record<string, string>>;

async function start(app: 'api' | 'worker', env: Env): Promise<() => Promise<void>> {
  const [program, args] = hardened([...nodeArgs[app], `apps/${app}/dist/main.js`]);
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const output of [child.stdout, child.stderr]) createInterface(output).on('line', (line) => lines.push(line));
  while (!lines.some((line) => READY.test(line))) {
    if (child.exitCode !== null) throw new Error(`The ${app} ended:\n${lines.join('\n')}`);
    await sleep(50);
  }
  return async () => {
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    const errors = lines.filter((line) => /"level":"(warn|error|fatal)"/.test(line));
    if (code !== 0 || errors.length > 0) throw new Error(`The ${app} ended with ${code}:\n${lines.join('\n')}`);
  };
}

async function posthorn(env: Env, ...args: string[]): Promise<Record<string, string>> {
  const [program, rest] = hardened(['apps/cli/bin/posthorn.js', ...args, '--json']);
  const { stdout } = await promisify(execFile)(program, rest, { cwd: ROOT, env });
  return JSON.parse(stdout);
}

async function sendEmail(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/emails`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      to: ['jane@example.com'],
      subject: 'Hello',
      text: 'Hello',
      attachments: [{ filename: 'a.bin', content: Buffer.alloc(200_000).toString('base64') }],
    }),
  });
  return response.status;
}

async function sendAndDeliver(env: Env, sink: Awaited<ReturnType<typeof startSmtpSink>>): Promise<string> {
  const stops = [await start('api', env), await start('worker', env)];
  const owner = ['--name', 'Acme', '--email', 'owner@example.com', '--password', 'a long password'];
  const { workspace_id: workspace = '' } = await posthorn(env, 'workspace', 'create', ...owner);
  const scopes = ['--name', 'Check', '--scopes', 'emails:send'];
  const { key = '' } = await posthorn(env, 'key', 'create', '--workspace', workspace, ...scopes);
  const status = await sendEmail(env.PUBLIC_URL ?? '', key);
  if (status !== 202) throw new Error(`The API answered ${status} instead of 202.`);
  const [message] = await sink.waitFor(1);
  for (const stop of stops) await stop();
  return `delivered ${message?.raw.length} bytes without writing a file`;
}

export const readOnlyRoot: Check = {
  id: 'read-only-root',
  title: 'The API, a worker and the posthorn command run as an unprivileged user on a read-only file system',
  async run() {
    const servers = await startServers();
    const sink = await startSmtpSink();
    const port = await findFreePort();
    try {
      return await sendAndDeliver(
        {
          NODE_ENV: 'production',
          DATABASE_URL: servers.postgresUrl({ proxied: false }),
          REDIS_URL: servers.redisUrl({ proxied: false }),
          SMTP_URL: sink.url,
          SECRET_KEY: 'a secret that is only good for this check',
          PLATFORM_SENDER_DOMAIN: 'mail.example.com',
          PORT: `${port}`,
          PUBLIC_URL: `http://127.0.0.1:${port}`,
        },
        sink,
      );
    } finally {
      await sink.close();
      await servers.close();
    }
  },
};
