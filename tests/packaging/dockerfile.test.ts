import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { nodeArgs } from '@posthorn/servers';
import { parse } from 'yaml';
import { readDockerfile } from './read-dockerfile.js';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const dockerfile = readDockerfile();

type Manifest = { name: string; dependencies?: Record<string, string> };

/** The package.json of every npm workspace by folder, such as `apps/api`. */
const workspaces = new Map<string, Manifest>(
  ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(ROOT, parent))
      .map((name) => `${parent}/${name}`)
      .filter((folder) => existsSync(join(ROOT, folder, 'package.json')))
      .map((folder) => [folder, JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))]),
  ),
);

const STARTED = ['apps/api', 'apps/worker', 'apps/inbound', 'apps/tracking', 'apps/cli'];

/** The folders of these npm workspaces, and of all others that they need at run time. */
function neededBy(folders: readonly string[]): Set<string> {
  const needed = new Set(folders);
  for (const folder of needed) {
    const names = Object.keys(workspaces.get(folder)?.dependencies ?? {});
    for (const [other, { name }] of workspaces) if (names.includes(name)) needed.add(other);
  }
  return needed;
}

function copies(stage: string): { from: string | undefined; sources: string[]; target: string }[] {
  const steps = dockerfile.listSteps(stage).filter(({ keyword }) => keyword === 'COPY');
  return steps.map(({ text }) => {
    const words = text.split(/\s+/);
    const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
    return { from, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
  });
}

describe('Dockerfile', () => {
  test('builds from one pinned base image, with a version of Node that CI runs the suite on', () => {
    const images = dockerfile.stages.map(({ base }) => base).filter((base) => dockerfile.listSteps(base).length === 0);
    expect(new Set(images)).toEqual(new Set(['node:24-bookworm-slim']));
    const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows/ci.yml'), 'utf8'));
    expect(jobs.check.strategy.matrix.node).toEqual([20, 22, 24]);
  });

  test('leaves no package manager in the image, and finds the posthorn command without one', () => {
    const removals = dockerfile.listSteps('runtime').filter(({ text }) => text.startsWith('rm -rf'));
    for (const path of ['/usr/local/lib/node_modules', 'npm', 'npx', 'corepack', 'yarn', '/opt/yarn'])
      expect(removals.map(({ text }) => text).join(' ')).toContain(path);
    expect(dockerfile.getEnvironment('api').PATH?.split(':')).toContain('/app/node_modules/.bin');
    const cli = JSON.parse(readFileSync(join(ROOT, 'apps/cli/package.json'), 'utf8'));
    expect(copies('dependencies').flatMap(({ sources }) => sources)).toContain('apps/cli/bin');
    expect(cli.bin).toEqual({ posthorn: './bin/posthorn.js' });
  });

  test('copies only files that exist in the repository', () => {
    const sources = dockerfile.stages.flatMap(({ name }) => copies(name)).filter(({ from }) => from === undefined);
    expect(sources.length).toBeGreaterThan(0);
    for (const path of sources.flatMap((copy) => copy.sources))
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  });

  test('copies the package.json of every npm workspace, which npm ci needs', () => {
    const manifests = copies('manifests').flatMap(({ sources }) => sources);
    const wanted = [...workspaces.keys()].map((folder) => `${folder}/package.json`);
    expect(manifests.filter((path) => path.includes('/')).sort()).toEqual(wanted.sort());
  });

  test('installs only what the processes need at run time', () => {
    const installs = dockerfile.listSteps('dependencies').filter(({ text }) => text.startsWith('npm ci'));
    const names = STARTED.map((folder) => `--workspace=${workspaces.get(folder)?.name}`);
    expect(installs.map(({ text }) => text)).toEqual([`npm ci --omit=dev ${names.join(' ')}`]);
    const packages = [
      'packages/contract',
      'packages/domain',
      'packages/feedback',
      'packages/message',
      'packages/platform',
      'packages/threads',
      'packages/webhooks',
    ];
    expect([...neededBy(STARTED)].sort()).toEqual([...STARTED, ...packages].sort());
  });

  test('contains the build output of every npm workspace that a process needs', () => {
    const built = copies('runtime').filter(({ from }) => from === 'build');
    // The API serves the dashboard's files but does not import them.
    const wanted = [...neededBy(STARTED), 'apps/dashboard'].map((folder) => `${folder}/dist`);
    expect(built.map(({ target }) => target).sort()).toEqual(wanted.sort());
    for (const { sources, target } of built) expect(sources).toEqual([`/app/${target}`]);
    expect(dockerfile.listSteps('build').map(({ text }) => text)).toContain(`npm run build -- ${STARTED.join(' ')}`);
  });

  test.each(['api', 'worker', 'inbound', 'tracking'] as const)(
    'starts the %s as an unprivileged user, with a health check',
    (target) => {
      const steps = dockerfile.listSteps(target);
      const last = (keyword: string) => steps.filter((step) => step.keyword === keyword).at(-1)?.text;
      expect(last('USER')).toBe('node');
      const command = ['node', ...nodeArgs[target], `apps/${target}/dist/main.js`];
      expect(JSON.parse(last('CMD') ?? '')).toEqual(command);
      expect(scripts[`start:${target}`]).toBe(`exec ${command.join(' ')}`);
      expect(existsSync(join(ROOT, `apps/${target}/src/main.ts`))).toBe(true);
      expect(last('HEALTHCHECK')).toContain(target === 'inbound' ? 'INBOUND_PORT' : '/healthz');
    },
  );

  test.each(['api', 'worker', 'tracking', 'inbound'] as const)(
    'finds out whether the %s is healthy with the command of its image',
    async (target) => {
      let status = 200;
      const server = createServer((request, response) => {
        response.writeHead(request.url === '/healthz' ? status : 404).end();
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const check = dockerfile.listSteps(target).findLast(({ keyword }) => keyword === 'HEALTHCHECK')?.text ?? '';
      const [program = '', ...args] = JSON.parse(check.slice(check.indexOf('[')));
      const variable = { api: 'PORT', worker: 'METRICS_PORT', tracking: 'TRACKING_PORT', inbound: 'INBOUND_PORT' }[
        target
      ];
      const run = async () => {
        const child = spawn(program, args, { env: { PATH: process.env.PATH, [variable]: `${port}` }, stdio: 'ignore' });
        return (await once(child, 'close'))[0];
      };
      expect(await run()).toBe(0);
      status = 503;
      // The bounce listener only has to take connections.
      expect(await run()).toBe(target === 'inbound' ? 0 : 1);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      expect(await run()).toBe(1);
    },
  );

  test('serves the metrics of every process on one port', () => {
    const ports = {
      api: 'API_METRICS_PORT',
      worker: 'METRICS_PORT',
      inbound: 'INBOUND_METRICS_PORT',
      tracking: 'TRACKING_METRICS_PORT',
    };
    for (const [target, variable] of Object.entries(ports)) {
      expect([target, dockerfile.getEnvironment(target)[variable]]).toEqual([target, '9464']);
      const exposed = dockerfile.listSteps(target).filter(({ keyword }) => keyword === 'EXPOSE');
      expect(
        exposed
          .map(({ text }) => text)
          .join(' ')
          .split(' '),
      ).toContain('9464');
      // A line of .env.example without a value would open no port.
      expect(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8')).not.toContain(`${variable}:`);
    }
  });

  test('does not copy secrets or machine-specific files', () => {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    for (const path of ['.env', 'secrets', '.git', '.posthorn', '**/node_modules', '**/dist'])
      expect(ignored).toContain(path);
  });
});
