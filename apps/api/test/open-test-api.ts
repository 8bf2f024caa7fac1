import type { Mode, Scope } from '@posthorn/contract';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import {
  closeAtFileEnd,
  closeTestContext,
  countOpening,
  createTestWorkspace,
  openTestContext,
  type TestContextOptions,
  type TestWorkspace,
} from '@posthorn/testing';
import request from 'supertest';
import type { ApiContext } from '../src/context/api-context.js';
import { closeApiContext, createApiContext } from '../src/create-context.js';
import { listen, stopListening } from '../src/server.js';
import { checkResponses } from './check-responses.js';

const STOP_GRACE_MS = 1_000;

type Agent = ReturnType<typeof request>;

/** A workspace with its owner and a key with every scope. */
export type TestTenant = {
  readonly workspace: { readonly id: string; readonly slug: string };
  readonly user: { readonly email: string; readonly password: string };
  readonly key: string;
  readonly keyId: string;
  /** Headers with the key. */
  readonly auth: { readonly Authorization: string };
};

export type TestApi = TestTenant & {
  /** `await t.api.post('/api/v1/emails').set(t.auth).send({...})` */
  readonly api: Agent;
  readonly url: string;
  readonly ctx: ApiContext;
  /** Creates another key of the tenant, with only these scopes. @returns the full key */
  keyWith(scopes: Scope[], mode?: Mode): Promise<string>;
  /** Logs in as `user`. @returns headers with the session cookie */
  login(): Promise<{ Cookie: string }>;
  otherTenant(): Promise<TestTenant>;
  close(): Promise<void>;
};

type RunningApi = Pick<TestApi, 'ctx' | 'url' | 'close'>;

let ofFile: Promise<RunningApi> | undefined;

/**
 * A tenant of an API on its own port. The tests of a file share the API, unless they need another configuration. At its
 * end, closing it fails if /openapi.json does not describe one of its responses.
 */
export async function openTestApi(options?: TestContextOptions): Promise<TestApi> {
  const { ctx, url, close } = await (options === undefined ? apiOfFile() : startApi(options));
  const api = request(url);
  const tenant = await createTenant(ctx);
  return {
    ...tenant,
    api,
    url,
    ctx,
    keyWith: async (scopes, mode = 'live') =>
      (await createKey(ctx, operator, tenant.workspace.id, { name: 'Narrow', mode, scopes, expiresAt: null })).text,
    login: () => login(api, tenant),
    otherTenant: () => createTenant(ctx),
    close: options === undefined ? async () => {} : close,
  };
}

function apiOfFile(): Promise<RunningApi> {
  if (ofFile) return ofFile;
  const starting = startApi({});
  ofFile = starting;
  closeAtFileEnd(async () => {
    ofFile = undefined;
    await (await starting).close();
  });
  return starting;
}

async function startApi(options: TestContextOptions): Promise<RunningApi> {
  const context = await openTestContext(options);
  return countOpening(async () => {
    const ctx = createApiContext(context);
    const { server, url } = await listen(ctx);
    const assertDocumented = checkResponses(server);
    return {
      ctx,
      url,
      async close() {
        await stopListening(server, STOP_GRACE_MS);
        await closeTestContext(ctx, closeApiContext);
        assertDocumented();
      },
    };
  });
}

async function createTenant(ctx: ApiContext): Promise<TestTenant> {
  const { workspaceId, slug, email, password, key, keyId }: TestWorkspace = await countOpening(() =>
    createTestWorkspace(ctx),
  );
  const auth = { Authorization: `Bearer ${key}` };
  return { workspace: { id: workspaceId, slug }, user: { email, password }, key, keyId, auth };
}

async function login(api: Agent, { user }: TestTenant): Promise<{ Cookie: string }> {
  const response = await api.post('/auth/login').send(user);
  const [cookie] = response.get('Set-Cookie') ?? [];
  if (response.status !== 200 || !cookie) throw new Error(`The login returned ${response.status}: ${response.text}`);
  return { Cookie: cookie.split(';')[0] ?? '' };
}
