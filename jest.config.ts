/** @jest-config-loader esbuild-register */
import { join } from 'node:path';
import type { Config } from 'jest';

const workspaces = [
  'packages/contract',
  'packages/domain',
  'packages/feedback',
  'packages/message',
  'packages/servers',
  'packages/threads',
  'packages/testing',
  'packages/webhooks',
  'apps/api',
  'apps/worker',
  'apps/inbound',
  'apps/tracking',
  'apps/local',
  'apps/dashboard',
  'tests/feedback',
  'tests/tracking',
  'tests/repository',
];

/** Their tests start the API, the worker and other programs as processes of their own. */
const usingApps = ['apps/cli', 'tests', 'tests/client', 'tests/packaging', 'tests/webhooks'];

/** Tests import sources, so they need no build and cannot use a stale one. */
function project(directory: string): Exclude<NonNullable<Config['projects']>[number], string> {
  return {
    displayName: directory,
    rootDir: directory,
    testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/*.test.ts'],
    testEnvironment: 'node',
    testEnvironmentOptions: { customExportConditions: ['@posthorn/source', 'node', 'require', 'default'] },
    // Packages are loaded when they are first used, which is a third less to load for each test file.
    transform: {
      '^.+\\.(ts|mjs)$': ['@swc/jest', { jsc: { target: 'es2023' }, module: { type: 'commonjs', lazy: true } }],
    },
    // It consists of one ES module.
    transformIgnorePatterns: ['/node_modules/(?!s3mini/)'],
    // Source files import each other by their .js names, as Node requires.
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  };
}

const config: Config = {
  projects: [
    ...workspaces.map(project),
    ...usingApps.map((directory) => ({ ...project(directory), globalSetup: join(__dirname, 'tests/global-setup.ts') })),
    { ...project('tests/browser'), globalSetup: join(__dirname, 'tests/browser/global-setup.ts') },
  ],
  globalSetup: '<rootDir>/packages/testing/src/global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/src/global-teardown.ts',
  // Only a test that hangs takes so long. On a busy machine, everything may stand still for half a minute.
  testTimeout: 120_000,
  // Tests mostly wait for servers. By default, Jest would leave one core idle, even if there are only two.
  maxWorkers: '100%',
};

export default config;
