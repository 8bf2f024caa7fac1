import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SampleLanguage } from '@posthorn/code-samples';
import { findFreePort } from '@posthorn/servers';
import { until } from '@posthorn/testing';
import type { SignatureHeaders } from '@posthorn/webhooks';

/** The programs that the documentation shows. */
const PROGRAMS = join(import.meta.dirname, '../../../../docs/api/verify-webhook');

/** A request to a webhook. Its headers may be missing or wrong. */
export type SignedRequest = { readonly headers: Partial<SignatureHeaders>; readonly body: string };

/** A sample that runs. */
export type RunningVerification = {
  /** @returns whether the sample accepted the request */
  accepts(request: SignedRequest): Promise<boolean>;
  /** Where it listens; null for the shell, which is no server. */
  readonly port: number | null;
  close(): Promise<void>;
};

type Server = {
  readonly program: string;
  /** Succeeds if the language is installed. */
  readonly check: readonly string[];
  readonly file: string;
  readonly args: (file: string, port: number) => readonly string[];
};

/** The sample for a shell is not a server. */
const servers: Readonly<Record<Exclude<SampleLanguage, 'curl'>, Server>> = {
  node: { program: process.execPath, check: ['--version'], file: 'receiver.mjs', args: (file) => [file] },
  python: { program: 'python3', check: ['--version'], file: 'receiver.py', args: (file) => [file] },
  php: {
    program: 'php',
    check: ['--version'],
    file: 'receiver.php',
    args: (file, port) => ['-S', `127.0.0.1:${port}`, file],
  },
  go: { program: 'go', check: ['version'], file: 'receiver.go', args: (file) => ['run', file] },
};

export function canVerifyIn(language: SampleLanguage): boolean {
  const [program, check] =
    language === 'curl' ? ['openssl', ['version']] : [servers[language].program, servers[language].check];
  return spawnSync(program, check, { stdio: 'ignore' }).status === 0;
}

export function startVerification(language: SampleLanguage, secret: string): Promise<RunningVerification> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-verification-'));
  const env = { ...process.env, POSTHORN_WEBHOOK_SECRET: secret };
  return language === 'curl' ? startShell(folder, env) : startServer(servers[language], { folder, env });
}

async function startShell(folder: string, env: NodeJS.ProcessEnv): Promise<RunningVerification> {
  const file = join(PROGRAMS, 'verify.sh');
  return {
    async accepts({ headers, body }) {
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
      const child = spawn('sh', [file, ...names.map((name) => headers[name] ?? '')], {
        env,
        stdio: ['pipe', 'inherit', 'inherit'],
      });
      // The script may refuse the request before it reads the body.
      child.stdin.on('error', () => {});
      child.stdin.end(body);
      const [exitCode] = await once(child, 'close');
      return exitCode === 0;
    },
    port: null,
    close: async () => rmSync(folder, { recursive: true }),
  };
}

async function startServer(
  { program, file, args }: Server,
  { folder, env }: { folder: string; env: NodeJS.ProcessEnv },
): Promise<RunningVerification> {
  const port = await findFreePort();
  const path = join(folder, file);
  writeFileSync(path, readFileSync(join(PROGRAMS, file), 'utf8').replaceAll('3000', String(port)));
  // A group of its own, because `go run` starts the program as another process.
  const child = spawn(program, args(path, port), { env, stdio: 'ignore', detached: true });
  const url = `http://127.0.0.1:${port}/`;
  await until(() => fetch(url, { method: 'POST', body: '' }).then(Boolean, () => false));
  return {
    async accepts({ headers, body }) {
      const { status } = await fetch(url, { method: 'POST', headers, body });
      if (status !== 204 && status !== 400) throw new Error(`The receiver answered ${status}`);
      return status === 204;
    },
    port,
    async close() {
      await stop(child);
      rmSync(folder, { recursive: true });
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  process.kill(-child.pid, 'SIGKILL');
  await once(child, 'close');
}
