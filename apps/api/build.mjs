import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { changedAt } from '../../packages/changed-at.mjs';

const ROOT = join(import.meta.dirname, '../..');
const SCHEMAS = 'apps/api/dist/docs/contract-schemas.json';
const SITE = 'apps/api/dist/docs/site/openapi.json';
const CONTRACT = ['packages/contract/src', 'package-lock.json'];
/** The pages describe the routes, and the routes import nearly everything. */
const SOURCES = ['code-samples', 'domain', 'feedback', 'message', 'platform', 'threads', 'webhooks']
  .map((name) => `packages/${name}/src`)
  .concat('apps/api', 'docs/api', SCHEMAS, ...CONTRACT);

function build(output, sources, args) {
  const newest = Math.max(...sources.map((path) => changedAt(join(ROOT, path))));
  if (changedAt(join(ROOT, output)) > newest) return;
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}

mkdirSync(join(import.meta.dirname, 'dist/docs'), { recursive: true });
// The types of the contract as JSON Schemas
build(SCHEMAS, CONTRACT, [
  'node_modules/ts-json-schema-generator/bin/ts-json-schema-generator.js',
  ...['--path', 'packages/contract/src/operations.ts', '--tsconfig', 'packages/contract/tsconfig.json'],
  ...['--type', 'Operations', '--no-type-check', '--no-top-ref', '--unstable', '--out', SCHEMAS],
]);
// The documentation, from the sources, so that it does not matter what else has been built
build(SITE, SOURCES, ['--import', 'tsx', '--conditions=@posthorn/source', 'apps/api/docs/main.ts']);
