/** @jest-config-loader esbuild-register */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config } from 'jest';

type Project = Exclude<NonNullable<Config['projects']>[number], string>;

const inRoot = (path: string) => join(__dirname, path);

/**
 * Tests import sources, never a build. Node loads them, once for each Jest worker. Global setups build only the dashboard,
 * the documentation and what runs as a process of its own.
 */
function project(displayName: string, folders: readonly string[], more: Project = {}): Project {
  return {
    displayName,
    roots: ['apps', 'packages', 'tests'].map(inRoot),
    testMatch: folders.map((folder) => inRoot(`${folder}/*.test.ts`)),
    testEnvironment: inRoot('packages/testing/jest/environment.mjs'),
    testRunner: inRoot('packages/testing/jest/run-test-file.mjs'),
    transform: {},
    ...more,
  };
}

const programs = { globalSetup: inRoot('tests/build-programs.mjs') };
const browser = {
  globalSetup: inRoot('tests/browser/start-browser.mjs'),
  globalTeardown: inRoot('tests/browser/stop-browser.mjs'),
};

const config: Config = {
  projects: [
    project(
      'in-process',
      [
        'packages/*/test/**',
        'apps/{api,worker,inbound,tracking,dashboard}/test/**',
        'tests/{feedback,tracking,repository}',
      ],
      { testPathIgnorePatterns: ['/node_modules/', '/other-languages/', '/outages/'] },
    ),
    // These start the API, the worker and other programs as processes of their own.
    project('programs', ['apps/{cli,local}/test/**', 'tests', 'tests/webhooks'], programs),
    project('browser', ['tests/browser'], browser),
    // Only `npm run test:all` runs these.
    project(
      'thorough',
      [
        'tests/{client,fuzz,memory,operating,packaging,traces}',
        'tests/feedback/mutations',
        'apps/{api,worker}/test/outages',
        'tests/webhooks/outages',
        'apps/api/test/docs/other-languages',
      ],
      programs,
    ),
    project('thorough-browser', ['tests/browser/outages'], browser),
  ],
  testSequencer: inRoot('packages/testing/jest/sequencer.mjs'),
  globalSetup: inRoot('packages/testing/jest/start-test-servers.mjs'),
  globalTeardown: inRoot('packages/testing/jest/stop-test-servers.mjs'),
  // No test may depend on the ones before it in its file. Jest prints the seed, and `--seed` repeats an order.
  randomize: true,
  // Only a test that hangs takes so long. On a busy machine, everything may stand still for half a minute.
  testTimeout: 120_000,
  // Tests often wait for servers.
  maxWorkers: availableParallelism() * 2,
};

export default config;
