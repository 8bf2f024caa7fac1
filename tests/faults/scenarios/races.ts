import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { createTemplate } from '@posthorn/domain/templates';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { createTestWorkspace, getPercentile, until } from '@posthorn/testing';
import { newIdempotencyKey, readEmailId, type SendResponse } from '../../rig/client.js';
import { expectInTime, expectThat } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { timeSingleEmail, untilSettled } from '../../rig/until.js';

/** @returns the status of the response */
async function requestChange({ apis, tenant }: Rig, method: string, path: string, body?: object): Promise<number> {
  const response = await fetch(`${apis[0]?.url}/api/v1/emails/${path}`, {
    method,
    headers: { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.text();
  return response.status;
}

const cancel = (rig: Rig, id: string) => requestChange(rig, 'POST', `${id}/cancel`);

const reschedule = (rig: Rig, id: string) =>
  requestChange(rig, 'PATCH', id, { scheduled_at: new Date(Date.now() + 1_000).toISOString() });

/** Cancels each email after a random delay, so that cancellations arrive during every step of the worker. */
async function raceCancels(rig: Rig, pairs: number) {
  const cancels: Array<{ id: string; status: number }> = [];
  let left = pairs;
  const race = async () => {
    while (left-- > 0) {
      const id = readEmailId(await rig.client.send(rig.requestTo('ok')));
      await sleep(rig.random.between(0, 4));
      cancels.push({ id, status: await cancel(rig, id) });
    }
  };
  await Promise.all(Array.from({ length: 8 }, race));
  return cancels;
}

/**
 * Keeps trying to change emails that the server took before it broke the connection, until they are sent again.
 * @returns the statuses of the responses
 */
async function changeAmbiguous(rig: Rig, emails: number): Promise<number[]> {
  const statuses: number[] = [];
  const changeOne = async (_: unknown, index: number) => {
    const id = readEmailId(await rig.client.send(rig.requestTo('dropdot.1')));
    const copies = () => rig.smtp.handoffs.filter(({ messageId }) => messageId.startsWith(id)).length;
    const change = index % 2 === 0 ? cancel : reschedule;
    await until('the server has the message', () => copies() > 0);
    await until('it is changed or sent again', async () => {
      const status = await change(rig, id);
      statuses.push(status);
      return status === 200 || copies() > 1;
    });
  };
  await Promise.all(Array.from({ length: emails }, changeOne));
  return statuses;
}

/** For how many emails F29 breaks the connection after the final dot; each of them is sent again. */
const ambiguousEmails = (scale: number) => Math.ceil(20 * scale);

function count(responses: readonly SendResponse[], status: number): number {
  return responses.filter((response) => response.status === status).length;
}

export const raceScenarios: readonly Scenario[] = [
  {
    id: 'F29',
    fault: 'cancellations race with the worker; clients try to change emails that the server may already have',
    options: { apis: 2, workers: 2 },
    maxSecondCopies: ambiguousEmails,
    async run(rig, scale) {
      const cancels = await raceCancels(rig, Math.ceil(1_000 * scale));
      const ofAmbiguous = await changeAmbiguous(rig, ambiguousEmails(scale));
      const changed = ofAmbiguous.filter((status) => status !== 409);
      await untilSettled(rig);
      const handedOver = new Set(rig.smtp.handoffs.map(({ messageId }) => messageId.split('@')[0]));
      const canceled = cancels.filter(({ status }) => status === 200);
      const sentAnyway = canceled.filter(({ id }) => handedOver.has(id));
      const refused = cancels.filter(({ status }) => status === 409);
      const neverSent = refused.filter(({ id }) => !handedOver.has(id));
      return {
        figures: `${cancels.length} races: ${canceled.length} canceled, ${refused.length} too late; ${ofAmbiguous.length} attempts to change emails that the server may have, ${changed.length} of them allowed`,
        failures: [
          ...expectThat(
            changed.length === 0,
            `${changed.length} emails that the server may have could be canceled or rescheduled`,
          ),
          ...expectThat(
            sentAnyway.length === 0,
            `${sentAnyway.length} emails were sent although their cancellation got a 200`,
          ),
          ...expectThat(neverSent.length === 0, `${neverSent.length} emails were neither canceled nor sent`),
          ...expectThat(
            canceled.length + refused.length === cancels.length,
            `a cancellation got neither 200 nor 409: ${[...new Set(cancels.map(({ status }) => status))].join(', ')}`,
          ),
          ...expectInTime(canceled.length > 0 && refused.length > 0, 'one side won every race'),
        ],
      };
    },
  },
  {
    id: 'F30',
    fault: '500 simultaneous sends at the edge of a cap; 100 simultaneous sends with one key',
    options: { apis: 2 },
    async run(rig) {
      await setWorkspaceLimits(rig.ctx, operator, rig.tenant.workspaceId, { daily: 101 });
      await sleep(1_100);
      const key = newIdempotencyKey();
      const to = ['ok-same@rig.test'];
      const same = await Promise.all(
        Array.from({ length: 100 }, () => rig.client.send(rig.requestTo('ok', { key, to }))),
      );
      const responses = await rig.sendMany(500, { inFlight: 250 });
      const [accepted, refused] = [count(responses, 202), count(responses, 429)];
      const bodies = new Set(same.map(({ body }) => body));
      return {
        figures: `cap: ${accepted} accepted, ${refused} refused; key: ${count(same, 202)} identical responses`,
        failures: [
          ...expectThat(accepted === 100, `${accepted} sends were accepted; the cap had room for 100`),
          ...expectThat(accepted + refused === 500, 'a send got neither 202 nor 429'),
          ...expectThat(
            bodies.size === 1 && count(same, 202) === 100,
            `one idempotency key got ${bodies.size} different responses`,
          ),
        ],
      };
    },
  },
  {
    id: 'F31',
    fault: 'the clocks of API processes and workers are wrong by an hour, a day and twelve days',
    options: { apis: 3, workers: 3, clockHours: { api: [1, -25, 288], worker: [1, -1, 25] } },
    async run(rig, scale) {
      // Each delivery takes longer than the sweep interval, so every worker checks the leases of the others.
      await rig.sendMany(Math.ceil(300 * scale), { behaviour: 'slow.600' });
      await untilSettled(rig, 120_000);
      // Without Redis, only Postgres knows an idempotency key, whatever the date on the API's clock.
      rig.servers.proxies.redis.cut();
      for (let round = 0; round < Math.ceil(20 * scale); round += 1) {
        const request = rig.requestTo('ok');
        await Promise.all(rig.apis.map(({ url }) => rig.client.send({ ...request, api: () => url })));
      }
      rig.servers.proxies.redis.restore();
      return {};
    },
  },
  {
    id: 'F32',
    fault: 'four workers find all emails by polling; no delivery job arrives',
    options: { workers: 4 },
    async run(rig, scale) {
      rig.servers.proxies.redis.cut();
      await rig.sendMany(Math.ceil(400 * scale));
      await untilSettled(rig);
      rig.servers.proxies.redis.restore();
      return {};
    },
  },
  {
    id: 'F33',
    fault: 'a template with 2,000 placeholders, deep JSON and 1 MB bodies alongside normal mail',
    async run(rig, scale) {
      const placeholders = Array.from({ length: 2_000 }, () => '{{word}}').join(' ');
      const template = await createTemplate(rig.ctx, operator, rig.tenant.workspaceId, {
        name: 'Heavy',
        subject: 'Heavy',
        htmlBody: placeholders,
        textBody: placeholders,
      });
      const heavy = { template_id: template.id, template_vars: { word: 'x'.repeat(900) } };
      let isOver = false;
      const heavyLoad = rig.client.load(4, () => (isOver ? null : rig.requestTo('ok', nextHeavyRequest(rig, heavy))));
      await sleep(500);
      const normal = await rig.sendMany(Math.ceil(200 * scale), { inFlight: 2 });
      isOver = true;
      const responses = await heavyLoad;
      const p99 = getPercentile(
        normal.map(({ ms }) => ms),
        0.99,
      );
      const timedOut = responses.filter((response) => response.timedOut).length;
      const broken = responses.filter(({ status }) => status === null || status >= 500).length - timedOut;
      return {
        figures: `${responses.length} heavy requests; the others' p99 ${Math.round(p99 ?? 0)} ms`,
        failures: [
          ...expectThat(count(normal, 202) === normal.length, 'a normal send was not accepted'),
          ...expectThat(broken === 0, `${broken} heavy requests got a 5xx or lost their connection`),
          ...expectInTime(timedOut === 0, `${timedOut} heavy requests timed out`),
        ],
      };
    },
  },
  {
    id: 'flood',
    fault: '10,000 emails of one workspace wait for a slow mail server; another workspace sends one email at a time',
    async run(rig, scale) {
      await rig.sendMany(Math.ceil(10_000 * scale), { inFlight: 50, behaviour: 'slow.20' });
      const other = await createTestWorkspace(rig.ctx, { planId: 'pro' });
      const waits: number[] = [];
      for (let sent = 0; sent < 20; sent += 1) waits.push(await timeSingleEmail(rig, other));
      const { rows } = await rig.ctx.db.raw("select count(*)::int as waiting from emails where status = 'queued'");
      await untilSettled(rig, 300_000);
      const [median, slowest] = [getPercentile(waits, 0.5) ?? 0, getPercentile(waits, 1) ?? 0];
      return {
        figures: `${rows[0].waiting} were still waiting at the end; the single emails took ${Math.round(median)} ms (median), ${Math.round(slowest)} ms (slowest)`,
        failures: [
          ...expectInTime(rows[0].waiting > 0, 'the 10,000 emails were delivered before the single ones'),
          ...expectInTime(slowest < 1_000, `the slowest single email took ${slowest} ms`),
        ],
      };
    },
  },
];

function nextHeavyRequest(rig: Rig, heavy: object) {
  const deep = JSON.parse(`${'['.repeat(1_000)}1${']'.repeat(1_000)}`);
  const extra = rig.random.pick<object>([
    { text: undefined, subject: undefined, ...heavy },
    { headers: deep },
    { html: 'x'.repeat(1_000_000) },
  ]);
  return { extra, key: null };
}
