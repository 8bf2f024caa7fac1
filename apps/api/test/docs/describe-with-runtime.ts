import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type SampleLanguage, sampleLanguageNames } from '@posthorn/code-samples';

const MAX_RUN_MS = 60_000;

type Runtime = {
  readonly program: string;
  /** Succeeds if everything that a sample needs is installed. */
  readonly check: readonly string[];
  /** The name of the file that a sample is saved as, and what to pass before that name. */
  readonly file: string;
  readonly args: readonly string[];
};

const runtimes: Readonly<Record<SampleLanguage, Runtime>> = {
  curl: { program: 'sh', check: ['-c', 'curl --version'], file: 'sample.sh', args: [] },
  node: { program: process.execPath, check: ['--version'], file: 'sample.mjs', args: [] },
  python: { program: 'python3', check: ['-c', 'import requests'], file: 'sample.py', args: [] },
  php: { program: 'php', check: ['-r', "exit(extension_loaded('curl') ? 0 : 1);"], file: 'sample.php', args: [] },
  go: { program: 'go', check: ['version'], file: 'sample.go', args: ['run'] },
};

export type SampleRun = { readonly exitCode: number | null; readonly output: string; readonly errors: string };

/** Runs code with these environment variables. */
export type RunSample = (code: string, env: Readonly<Record<string, string>>) => Promise<SampleRun>;

/** Describes tests that run code samples. If the machine cannot run the language, the tests are skipped. */
export function describeWithRuntime(language: SampleLanguage, define: (run: RunSample) => void): void {
  const title = `code samples in ${sampleLanguageNames[language]}`;
  const runtime = runtimes[language];
  const { status } = spawnSync(runtime.program, runtime.check, { stdio: 'ignore' });
  describeIfInstalled(status === 0, title, () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'posthorn-sample-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));
    define((code, env) => runSample(runtime, folder, { code, env }));
  });
}

/** Describes tests that need a language. If it is not installed, they are skipped, and the test report says so. */
export function describeIfInstalled(isInstalled: boolean, title: string, define: () => void): void {
  if (isInstalled) {
    describe(title, define);
    return;
  }
  describe.skip(`${title} (not installed on this machine)`, define);
}

type Sample = { readonly code: string; readonly env: Readonly<Record<string, string>> };

async function runSample({ program, args, file }: Runtime, folder: string, { code, env }: Sample): Promise<SampleRun> {
  const path = join(folder, file);
  writeFileSync(path, code);
  const child = spawn(program, [...args, path], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_RUN_MS,
  });
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { exitCode, output, errors };
}
