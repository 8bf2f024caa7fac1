import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import {
  type Context,
  connectDatabase,
  createKey,
  createTemplate,
  createWorkspace,
  findKeyWithWorkspace,
  migrateDatabase,
  Refusal,
  scopes,
} from '@posthorn/domain';
import { writePrivate } from './data-folder.js';

/** What a person needs to try the service; kept as it is shown, for there is no other copy of it. */
export type Demo = {
  readonly workspace_id: string;
  readonly key_id: string;
  readonly email: string;
  readonly password: string;
  readonly api_key: string;
};

type Store = Pick<Context, 'db' | 'now'>;

const EMAIL = 'demo@posthorn.localhost';

const TEMPLATE = {
  name: 'Welcome',
  subject: 'Welcome, {{name}}',
  htmlBody: '<h1>Welcome, {{name}}</h1><p>Your workspace is ready: <a href="{{link}}">open it</a>.</p>',
  textBody: 'Welcome, {{name}}\n\nYour workspace is ready: {{link}}\n',
};

/**
 * Brings the database up to date and makes sure that there is a workspace to try: made once, and
 * again only in a database that does not have it.
 */
export async function prepareDatabase(databaseUrl: string, demoFile: string): Promise<Demo> {
  const db = connectDatabase(databaseUrl, { poolSize: 2 });
  try {
    await migrateDatabase(databaseUrl);
    return await keptDemo({ db, now: () => new Date() }, demoFile);
  } catch (error) {
    throw new Error(`The database cannot be used: ${(error as Error).message}`, { cause: error });
  } finally {
    await db.destroy();
  }
}

async function keptDemo(store: Store, file: string): Promise<Demo> {
  const kept: Demo | null = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  const owner = kept && (await findKeyWithWorkspace(store.db, kept.key_id, 1));
  if (kept && owner && owner.revokedAt === null) return kept;
  const demo = kept && owner ? { ...kept, ...(await makeKey(store, kept.workspace_id)) } : await makeDemo(store);
  writePrivate(file, demo);
  return demo;
}

async function makeDemo(store: Store): Promise<Demo> {
  const login = await makeWorkspace(store);
  await createTemplate(store, login.workspace_id, TEMPLATE);
  return { ...login, ...(await makeKey(store, login.workspace_id)) };
}

async function makeKey(store: Store, workspaceId: string): Promise<Pick<Demo, 'key_id' | 'api_key'>> {
  const { key, text } = await createKey(store, workspaceId, { name: 'Demo key', scopes: [...scopes], expiresAt: null });
  return { key_id: key.id, api_key: text };
}

/** The account is there already when `.posthorn/` was deleted but the database lives elsewhere. */
async function makeWorkspace(store: Store): Promise<Pick<Demo, 'workspace_id' | 'email' | 'password'>> {
  const password = randomBytes(12).toString('base64url');
  const attempt = async (email: string) => {
    const { workspaceId } = await createWorkspace(store, { name: 'Demo', email, password, planId: 'free' });
    return { workspace_id: workspaceId, email, password };
  };
  try {
    return await attempt(EMAIL);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return attempt(`demo-${randomBytes(4).toString('hex')}@posthorn.localhost`);
  }
}
