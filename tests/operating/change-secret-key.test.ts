import { createReceiver, listPublishedRecords, type ReceivedMessage } from '@posthorn/testing';
import { Webhook } from 'standardwebhooks';
import { parseOutput, runPosthorn } from '../../apps/cli/test/posthorn.js';
import type { ReceivedRequest } from '../../apps/worker/test/webhooks/open-receiver-server.js';
import { type RunningProcess, startProcess } from '../processes.js';
import { openWebhookStack, type WebhookStack } from '../webhooks/open-webhook-stack.js';
import { tenantWith } from '../webhooks/tenant.js';

const NEW_KEY = 'a new secret that is also only good for tests';

let stack: WebhookStack;
let running: RunningProcess[];
beforeAll(async () => {
  stack = await openWebhookStack();
  running = [stack.api, stack.worker];
});
afterAll(async () => {
  for (const each of running) await each.stop();
  await stack.close();
});

/** Stops the API and the worker, and starts them with these keys. @returns the URL of the API */
async function restart(keys: NodeJS.ProcessEnv): Promise<string> {
  expect(await Promise.all(running.map((each) => each.stop()))).toEqual([0, 0]);
  const env = { SMTP_URL: stack.sink.url, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32', ...keys };
  const [api, worker] = await Promise.all([
    startProcess('api', stack.ctx, env),
    startProcess('worker', stack.ctx, env),
  ]);
  running = [api, worker];
  return api.url;
}

test('after "posthorn secrets reencrypt", mail and webhooks are signed with the same keys and without the old SECRET_KEY', async () => {
  const oldKey = stack.ctx.config.secretKey ?? '';
  const tenant = await stack.openTenant();
  const receiver = await stack.openReceiver();
  const { secret } = await tenant.addWebhook(receiver.url, { events: ['email.accepted'] });
  const zone = await listPublishedRecords(stack.ctx, []);
  const authenticate = createReceiver(zone);

  /** Sends an email, and checks the signatures of the message and of the webhook. @returns the DKIM selector */
  const sendAndCheck = async (url: string) => {
    const [sent, received] = [stack.sink.messages.length, receiver.requests.length];
    await tenantWith(url, tenant.key).send();
    const message = (await stack.sink.waitFor(sent + 1))[sent] as ReceivedMessage;
    const { dkim } = await authenticate(message.raw, message.envelope.from);
    const request = (await receiver.untilReceived(received + 1))[received] as ReceivedRequest;
    new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
    return dkim.map(({ result, selector }) => [result, selector]);
  };

  const before = await sendAndCheck(stack.api.url);
  expect(before).toEqual([['pass', expect.stringMatching(/^ph/)]]);
  const both = { SECRET_KEY: NEW_KEY, SECRET_KEY_PREVIOUS: oldKey };
  const url = await restart(both);
  const reencrypt = runPosthorn(['secrets', 'reencrypt', '--json'], {
    env: { DATABASE_URL: stack.ctx.config.databaseUrl, ...both },
  });
  expect(await sendAndCheck(url)).toEqual(before);
  expect(parseOutput(await reencrypt)).toMatchObject({
    secrets: expect.arrayContaining([
      { kind: 'dkim_key', reencrypted: 1, current: 0, unreadable: 0 },
      { kind: 'webhook_secret', reencrypted: 1, current: 0, unreadable: 0 },
    ]),
    unreadable: [],
  });
  expect(await sendAndCheck(await restart({ SECRET_KEY: NEW_KEY }))).toEqual(before);
});
