import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  COOKIE_VARIABLE,
  KEY_VARIABLE,
  type SampleLanguage,
  type SampleRequest,
  writeCodeSample,
} from '@posthorn/code-samples';
import {
  type ApiDocument,
  hasSamples,
  SAMPLE_ID as ID,
  listOperations,
  type Operation,
  toSampleRequest,
} from '../../src/docs/pages/operations.js';
import { readSite } from '../../src/docs/routes.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { describeWithRuntime } from './describe-with-runtime.js';

const DAY_MS = 86_400_000;
/** The time in the future that the examples use. */
const LATER = '2026-11-21T09:30:00.000Z';

const operations = listOperations(JSON.parse(`${readSite().get('/openapi.json')}`) as ApiDocument).filter(hasSamples);

/** Text that would break out of a string in one language or another. */
const HOSTILE = [
  `It's "quoted" \\ and \`raw\` $HOME \${HOME} #{x} {{name}} %s %d \\n`,
  'two\nlines\r\nand a tab\t',
  '\u2028 \u0001 \u007f é 漢字 🎉',
  "';\nprint(1) // ?> <?php \\' \\\\",
  '',
];

/** Operations whose example cannot succeed here, with the code of the refusal. */
const REFUSED: Readonly<Record<string, string>> = {
  changeRole: 'not_found',
  removeMember: 'not_found',
  resendInvitation: 'not_found',
  resendVerification: 'conflict',
  resetPassword: 'validation_failed',
  verifyEmail: 'validation_failed',
  rejectSignUp: 'validation_failed',
  resumeWorkspace: 'conflict',
  readInvitation: 'validation_failed',
  acceptInvitation: 'validation_failed',
  changePassword: 'validation_failed',
  getUnsubscribePage: 'not_found',
};

/** An address needs no DNS, and nothing is sent there because no worker is running. */
const WEBHOOK_URL = 'https://93.184.216.34/webhooks';

/** Operations after which the session no longer works. */
const ENDS_SESSION = new Set(['logOut', 'endSessions', 'switchWorkspace']);

type Received = { method?: string; url?: string; headers: Readonly<Record<string, unknown>>; body: string };

/** Describes tests that run the samples in one language. If it is not installed, they are skipped. */
export function describeCodeSamples(language: SampleLanguage): void {
  describeWithRuntime(language, (run) => {
    test('send any text unchanged', async () => {
      const echo = await startEcho();
      const body = { texts: HOSTILE, nested: { empty: {}, list: [], 'a-b': null }, yes: true, no: false, count: -1.5 };
      const request: SampleRequest = {
        method: 'PATCH',
        url: `${echo.url}/api?q=a+b&c=%C3%A9`,
        credential: { key: 'ph_literal' },
        headers: { 'Idempotency-Key': `it's "$HOME" \`x\` \\` },
        body,
        response: 'json',
      };
      const { exitCode, errors } = await run(writeCodeSample(language, request), {});
      await echo.close();
      expect([exitCode, exitCode === 0 ? '' : errors]).toEqual([0, '']);
      expect(echo.received).toHaveLength(1);
      const [received] = echo.received;
      expect(received).toMatchObject({ method: 'PATCH', url: '/api?q=a+b&c=%C3%A9' });
      expect(received?.headers).toMatchObject({
        authorization: 'Bearer ph_literal',
        'content-type': 'application/json',
        'idempotency-key': `it's "$HOME" \`x\` \\`,
      });
      expect(JSON.parse(received?.body ?? '')).toEqual(body);
    });

    describe('call the API:', () => {
      let t: TestApi;
      let cookie: string;
      let testKey: string;

      beforeAll(async () => {
        t = await openTestApi({
          config: { rateLimitPerMinute: 1_000, trackingUrl: 'https://links.example' },
          ownDatabase: 'its samples log in to an account with a fixed address',
        });
        cookie = (await t.login()).Cookie;
        const logIn = operations.find(({ id }) => id === 'logIn') as Operation;
        await t.api
          .post('/auth/signup')
          .send(toSampleRequest(logIn, t.url).body as object)
          .expect(201);
        const body = { name: 'Test', scopes: ['emails:send', 'emails:read'], mode: 'test' };
        testKey = (await t.api.post('/api/v1/api-keys').set({ Cookie: cookie }).send(body)).body.key;
      });
      afterAll(() => t.close());

      test.each(operations.map((operation) => [operation.id, operation] as const))('%s', async (id, operation) => {
        const request = toSampleRequest(operation, t.url);
        const code = await withRealValues(writeCodeSample(language, request), operation);
        const session = ENDS_SESSION.has(id) ? (await t.login()).Cookie : cookie;
        const { exitCode, output, errors } = await run(code, {
          [KEY_VARIABLE]: keyFor(id),
          [COOKIE_VARIABLE]: session,
        });
        if (id === 'endSessions') cookie = (await t.login()).Cookie;
        const refusal = REFUSED[id];
        if (refusal === undefined) {
          expect([exitCode, exitCode === 0 ? '' : errors]).toEqual([0, '']);
          expect(output.trim() === '').toBe(operation.success.type === null);
          if (language === 'curl') expect(output).not.toMatch(/^\{"type":"http/);
        } else if (language === 'curl') {
          expect(JSON.parse(output).code).toBe(refusal);
        } else {
          expect(exitCode).not.toBe(0);
          expect(errors).toMatch(/\w+ \w+ \w+.*\./);
        }
      });

      /** Only a test key can read whole messages. */
      function keyFor(id: string): string {
        return id === 'getMessage' ? testKey : t.key;
      }

      /** Replaces the made-up values of the examples with values from the test's workspace. */
      async function withRealValues(code: string, operation: Operation): Promise<string> {
        // The address has an account, to which the example of logIn logs in.
        const free = operation.id === 'signUp' ? code.replaceAll('jane@example.com', 'new@example.com') : code;
        return free
          .replaceAll(ID, await createFor(operation))
          .replaceAll(LATER, new Date(Date.now() + DAY_MS).toISOString())
          .replaceAll('https://example.com/webhooks', WEBHOOK_URL)
          .replaceAll('mail.example.org', `${language}.example.org`)
          .replaceAll('joe@example.com', `joe-${language}@example.com`);
      }

      /** Creates what the operation is about. @returns its id */
      async function createFor({ id, path }: Operation): Promise<string> {
        if (id === 'switchWorkspace') return t.workspace.id;
        if (!path.includes('{id}')) return ID;
        if (path.startsWith('/api/v1/emails/')) {
          const scheduled_at = new Date(Date.now() + DAY_MS).toISOString();
          return create(
            '/api/v1/emails',
            { to: ['jane@example.com'], subject: 'Hi', text: 'Hi', scheduled_at },
            keyFor(id),
          );
        }
        if (path.startsWith('/api/v1/templates/')) {
          return create('/api/v1/templates', { name: 'n', subject: 's', html_body: 'h', text_body: '{{name}}' });
        }
        if (path.startsWith('/api/v1/domains/'))
          return create('/api/v1/domains', { name: `${id}.example.net`.toLowerCase() });
        if (path.startsWith('/api/v1/webhooks/'))
          return create('/api/v1/webhooks', { url: WEBHOOK_URL, events: ['email.sent'] });
        if (path.startsWith('/api/v1/suppressions/'))
          return create('/api/v1/suppressions', { address: 'jane@example.com' });
        if (path.startsWith('/api/v1/erasures/'))
          return (await t.api.delete('/api/v1/recipients/jane@example.org').set({ Cookie: cookie }).expect(202)).body
            .id;
        if (path.startsWith('/api/v1/api-keys/'))
          return create('/api/v1/api-keys', { name: 'n', scopes: ['emails:send'] });
        return ID;
      }

      async function create(path: string, body: object, key = t.key): Promise<string> {
        const credential = path === '/api/v1/api-keys' ? { Cookie: cookie } : { Authorization: `Bearer ${key}` };
        const response = await t.api.post(path).set(credential).send(body);
        expect([path, response.status, response.body.code]).toEqual([path, expect.any(Number), undefined]);
        return response.body.id;
      }
    });
  });
}

type Echo = { readonly url: string; readonly received: readonly Received[]; close(): Promise<void> };

/** A server that records requests and answers `{}`. */
async function startEcho(): Promise<Echo> {
  const received: Received[] = [];
  const server: Server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    received.push({ ...(method && { method }), ...(url && { url }), headers, body: await text(request) });
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
