import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { scopes } from '@posthorn/contract';
import { createWorkspace, hashPassword } from '@posthorn/domain/accounts';
import { createKey, findKeyWithWorkspace } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { Refusal } from '@posthorn/domain/errors';
import { migrateDatabase } from '@posthorn/domain/schema';
import { createTemplate } from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import { connectDatabase } from '@posthorn/platform/postgres';
import { writePrivateJson } from './data-folder.js';

/**
 * The login and API key that `npm start` prints. The database contains only their hashes, so they are stored in a file.
 */
export type DemoCredentials = {
  readonly workspace_id: string;
  readonly key_id: string;
  readonly email: string;
  readonly password: string;
  readonly api_key: string;
};

type DemoContext = Pick<Context, 'db' | 'now'>;

const EMAIL = 'demo@posthorn.localhost';

const TEMPLATE = {
  name: 'Welcome',
  subject: 'Welcome, {{name}}',
  htmlBody: '<h1>Welcome, {{name}}</h1><p>Your workspace is ready: <a href="{{link}}">open it</a>.</p>',
  textBody: 'Welcome, {{name}}\n\nYour workspace is ready: {{link}}\n',
};

export async function prepareDatabase(databaseUrl: string, demoFile: string): Promise<DemoCredentials> {
  const db = connectDatabase(databaseUrl, { poolSize: 2 });
  try {
    await migrateDatabase(databaseUrl);
    return await readOrCreateDemo({ db, now: () => new Date() }, demoFile);
  } catch (error) {
    throw new Error(`Failed to prepare the database: ${(error as Error).message}`, { cause: error });
  } finally {
    await db.destroy();
  }
}

async function readOrCreateDemo(ctx: DemoContext, file: string): Promise<DemoCredentials> {
  const saved: DemoCredentials | null = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  const owner = saved && (await findKeyWithWorkspace(ctx.db, saved.key_id, 1));
  if (saved && owner && owner.revokedAt === null) return saved;
  const demo = saved && owner ? { ...saved, ...(await createDemoKey(ctx, saved.workspace_id)) } : await createDemo(ctx);
  writePrivateJson(file, demo);
  return demo;
}

async function createDemo(ctx: DemoContext): Promise<DemoCredentials> {
  const login = await createDemoWorkspace(ctx);
  await createTemplate(ctx, operator, login.workspace_id, TEMPLATE);
  return { ...login, ...(await createDemoKey(ctx, login.workspace_id)) };
}

async function createDemoKey(ctx: DemoContext, workspaceId: string) {
  const { key, text } = await createKey(ctx, operator, workspaceId, {
    name: 'Demo key',
    scopes: [...scopes],
    expiresAt: null,
  });
  return { key_id: key.id, api_key: text };
}

/** The demo email address is already taken if `.posthorn/` was deleted but the database was not. */
async function createDemoWorkspace(ctx: DemoContext) {
  const password = randomBytes(12).toString('base64url');
  const passwordHash = await hashPassword(password, EMAIL);
  const tryCreate = async (email: string) => {
    const { workspaceId } = await createWorkspace(ctx, { name: 'Demo', email, passwordHash, planId: 'free' });
    return { workspace_id: workspaceId, email, password };
  };
  try {
    return await tryCreate(EMAIL);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return tryCreate(`demo-${randomBytes(4).toString('hex')}@posthorn.localhost`);
  }
}
