import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changedAt } from '../changed-at.mjs';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(import.meta.dirname, 'dist');
const SCHEMAS = join(FOLDER, 'contract-schemas.json');
const SITE = join(FOLDER, 'site/openapi.json');
const CONTRACT = ['packages/contract/src', 'package-lock.json'];
/** The pages describe the routes, and the routes import nearly everything. */
const SOURCES = ['code-samples', 'domain', 'feedback', 'message', 'platform', 'threads', 'webhooks']
  .map((name) => `packages/${name}/src`)
  .concat('apps/api', 'docs/api', CONTRACT);

/** Whether anything has changed since the output was made. */
function isStale(output, sources) {
  return changedAt(output) <= Math.max(...sources.map((path) => changedAt(join(ROOT, path))));
}

/** The types of the contract as JSON Schemas. */
async function buildSchemas() {
  const { createGenerator } = await import('ts-json-schema-generator');
  const [path, tsconfig] = ['src/operations.ts', 'tsconfig.json'].map((name) => join(ROOT, 'packages/contract', name));
  const options = { path, tsconfig, type: 'Operations', skipTypeCheck: true, topRef: false, sortProps: false };
  const schemas = createGenerator(options).createSchema('Operations');
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(SCHEMAS, JSON.stringify(schemas));
}

if (isStale(SCHEMAS, CONTRACT)) await buildSchemas();
if (isStale(SITE, SOURCES)) {
  // From the sources, so that it does not matter what else has been built
  const args = ['--import', 'tsx', '--conditions=@posthorn/source', 'apps/api/src/build-docs.ts'];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}
