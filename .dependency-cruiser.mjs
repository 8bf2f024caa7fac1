/**
 * Which parts of the code may import which. Each boundary is a rule with a name and a reason. The dashboard's boundary
 * is in biome.json, and between its folders in tests/repository/folders.test.ts, because this tool cannot read TSX
 * without the API of an older TypeScript.
 */
const SOURCES = '^(apps|packages)/[^/]+/src/';
const TESTS = '^(tests|bench)/|^(apps|packages)/[^/]+/test/';

/** What a package offers others. Failpoints are chosen by a condition of the process, see its package.json. */
const ENTRY_POINTS = [
  '^packages/[^/]+/src/index\\.ts$',
  '^packages/[^/]+/src/[^/]+/index\\.ts$',
  '^packages/platform/src/failpoints/',
  '^packages/[^/]+/test/',
];

/** A package that a workspace has not declared stays unresolved and keeps its bare name. */
const npm = (...names) => `^(node_modules/)?(${names.join('|')})(/|$)`;

export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Imports between files go one way, so that a flow can be read from its start to its end.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycle',
      comment:
        'Imports between folders go one way too. tests/repository/folders.test.ts also checks the files above them.',
      severity: 'error',
      scope: 'folder',
      from: { pathNot: '^(apps|packages)/[^/]+/test/' },
      to: { circular: true },
    },
    {
      name: 'http-in-the-api',
      comment: 'Only apps/api serves HTTP, apart from the local inbox.',
      severity: 'error',
      from: { path: SOURCES, pathNot: '^apps/(api|local)/src/' },
      to: { path: npm('express', 'helmet') },
    },
    {
      name: 'joi-for-requests-and-settings',
      comment: 'Only apps/api validates requests. The table of settings uses joi too.',
      severity: 'error',
      from: { path: SOURCES, pathNot: '^apps/(api|local)/src/|^packages/platform/src/config/' },
      to: { path: npm('joi') },
    },
    {
      name: 'smtp-in-the-worker',
      comment: 'Only apps/worker delivers mail.',
      severity: 'error',
      from: { path: SOURCES, pathNot: '^apps/worker/src/' },
      to: { path: npm('nodemailer') },
    },
    {
      name: 'http-client-in-webhooks',
      comment: 'Only packages/webhooks contacts webhook receivers, because it refuses forbidden addresses.',
      severity: 'error',
      from: { path: SOURCES, pathNot: '^packages/webhooks/src/' },
      to: { path: npm('undici') },
    },
    {
      name: 'sql-in-the-domain',
      comment:
        'Only packages/domain and packages/platform query Postgres. packages/testing and packages/servers create databases.',
      severity: 'error',
      from: { path: SOURCES, pathNot: '^packages/(domain|platform|testing|servers)/src/' },
      to: { path: npm('knex', 'pg') },
    },
    {
      name: 'no-import-of-an-app',
      comment: 'An app is a process. Code that two of them need belongs in a package.',
      severity: 'error',
      from: { pathNot: '^(apps/[^/]+|tests/browser/start-stack\\.ts$)' },
      to: { path: '^apps/[^/]+/src/' },
    },
    {
      name: 'no-import-of-another-app',
      comment: 'An app is a process. Code that two of them need belongs in a package.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/[^/]+/', pathNot: '^apps/$1/' },
    },
    {
      name: 'through-the-index',
      comment:
        'Import a package by its name, @posthorn/<name> or @posthorn/<name>/<subject>. The index lists its exports.',
      severity: 'error',
      from: { path: '^(apps|packages)/([^/]+)/' },
      to: {
        path: '^packages/',
        pathNot: ['^packages/$2/', ...ENTRY_POINTS],
      },
    },
    {
      name: 'entry-points-of-the-domain',
      comment: 'A subject imports another one through its index.ts, @posthorn/domain/<subject>.',
      severity: 'error',
      from: { path: '^packages/domain/src/([^/]+)/' },
      to: {
        path: '^packages/domain/src/',
        pathNot: ['^packages/domain/src/$1/', '^packages/domain/src/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'entry-points-of-the-platform',
      comment: 'A subject imports another one through its index.ts, @posthorn/platform/<subject>.',
      severity: 'error',
      from: { path: '^packages/platform/src/([^/]+)/' },
      to: {
        path: '^packages/platform/src/',
        pathNot: [
          '^packages/platform/src/$1/',
          '^packages/platform/src/[^/]+/index\\.ts$',
          '^packages/platform/src/(index|context|failpoints/[^/]+)\\.ts$',
        ],
      },
    },
    {
      name: 'tests-through-the-index',
      comment: 'Import a package by its name, @posthorn/<name>. The index lists its exports.',
      severity: 'error',
      from: { path: '^(tests|bench)/' },
      to: {
        path: '^packages/',
        pathNot: ENTRY_POINTS,
      },
    },
    {
      name: 'domain-alone',
      comment: 'The domain does not know how it is run, served or tested.',
      severity: 'error',
      from: { path: '^packages/domain/src/' },
      to: { path: '^packages/(servers|testing)/' },
    },
    {
      name: 'platform-alone',
      comment: 'The platform knows nothing of email.',
      severity: 'error',
      from: { path: '^packages/platform/src/' },
      to: { path: '^packages/', pathNot: '^packages/platform/' },
    },
    {
      name: 'tests-only-in-tests',
      comment: 'packages/testing is for tests.',
      severity: 'error',
      from: { path: SOURCES, pathNot: '^packages/testing/' },
      to: { path: '^packages/testing/' },
    },
    {
      name: 'contract-imports-nothing',
      comment: 'The contract is types and lists of words, which every other part may use.',
      severity: 'error',
      from: { path: '^packages/contract/src/' },
      to: { pathNot: '^packages/contract/src/' },
    },
    {
      name: 'code-samples-import-nothing',
      comment: 'Code samples are pure functions that also run in browsers.',
      severity: 'error',
      from: { path: '^packages/code-samples/src/' },
      to: { pathNot: '^packages/code-samples/src/' },
    },
    {
      name: 'no-import-of-a-test',
      comment: 'Nothing that runs in production imports a test.',
      severity: 'error',
      from: { path: SOURCES },
      to: { path: TESTS },
    },
  ],
  options: {
    // TypeScript 7 has no API that this tool could use for parsing.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/|^apps/dashboard/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.mjs', '.js'],
      conditionNames: ['@posthorn/source', 'import', 'require', 'node', 'default'],
    },
  },
};
