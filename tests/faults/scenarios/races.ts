import { setTimeout as sleep } from 'node:timers/promises';
import { createTemplate, setWorkspaceLimits } from '@posthorn/domain';
import { createTestWorkspace, percentile, type TestWorkspace } from '@posthorn/testing';
import { emailIdOf, newIdempotencyKey, type SendResponse } from '../rig/client.js';
import type { Rig } from '../rig/open-rig.js';
import { until, untilSettled } from '../rig/until.js';
import { expectThat, type Scenario } from '../scenario.js';

/** @returns the status of the answer to a cancel */
async function cancel({ apis, tenant }: Rig, id: string): Promise<number> {
  const response = await fetch(`${apis[0]?.url}/api/v1/emails/${id}/cancel`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tenant.key}` },
  });
  await response.text();
  return response.status;
}

/** Sends and cancels after a random moment, so that the cancel meets the worker at every step. */
async function raceCancels(rig: Rig, pairs: number) {
  const ends: Array<{ id: string; status: number }> = [];
  let left = pairs;
  const race = async () => {
    while (left-- > 0) {
      const answer = await rig.client.post(rig.requestTo('ok'));
      await sleep(rig.random.between(0, 12));
      ends.push({ id: emailIdOf(answer), status: await cancel(rig, emailIdOf(answer)) });
    }
  };
  await Promise.all(Array.from({ length: 8 }, race));
  return ends;
}

function count(answers: readonly SendResponse[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

export const raceScenarios: readonly Scenario[] = [
  {
    id: 'F29',
    fault: 'cancels that race with the worker',
    options: { apis: 2, workers: 2 },
    async run(rig, scale) {
      const ends = await raceCancels(rig, Math.ceil(1_000 * scale));
      await untilSettled(rig);
      const handedOver = new Set(rig.smtp.handoffs.map(({ messageId }) => messageId.split('@')[0]));
      const canceled = ends.filter(({ status }) => status === 200);
      const liars = canceled.filter(({ id }) => handedOver.has(id));
      const refused = ends.filter(({ status }) => status === 409);
      const unsent = refused.filter(({ id }) => !handedOver.has(id));
      return {
        figures: `${ends.length} races: ${canceled.length} canceled, ${refused.length} too late`,
        violations: [
          ...expectThat(liars.length === 0, `${liars.length} emails were sent after a 200 to their cancel`),
          ...expectThat(unsent.length === 0, `${unsent.length} emails were neither canceled nor sent`),
          ...expectThat(canceled.length + refused.length === ends.length, 'a cancel got another answer'),
          ...expectThat(canceled.length > 0 && refused.length > 0, 'the races were all won by one side'),
        ],
      };
    },
  },
  {
    id: 'F30',
    fault: '500 sends at once at the edge of a cap; 100 at once with one key',
    options: { apis: 2 },
    async run(rig) {
      await setWorkspaceLimits(rig.ctx, rig.tenant.workspaceId, { daily: 101 });
      await sleep(1_100);
      const key = newIdempotencyKey();
      const to = ['ok-same@rig.test'];
      const same = await Promise.all(
        Array.from({ length: 100 }, () => rig.client.post(rig.requestTo('ok', { key, to }))),
      );
      const answers = await rig.sendMany(500, { inFlight: 250 });
      const [accepted, refused] = [count(answers, 202), count(answers, 429)];
      const bodies = new Set(same.map(({ body }) => body));
      return {
        figures: `cap: ${accepted} accepted, ${refused} refused; key: ${count(same, 202)} equal answers`,
        violations: [
          ...expectThat(accepted === 100, `${accepted} were accepted where 100 were left`),
          ...expectThat(accepted + refused === 500, 'a send got another answer'),
          ...expectThat(bodies.size === 1 && count(same, 202) === 100, `one key had ${bodies.size} answers`),
        ],
      };
    },
  },
  {
    id: 'F31',
    fault: 'clocks that are an hour, a day and twelve days off, in APIs and workers',
    options: { apis: 3, workers: 3, clockHours: { api: [1, -25, 288], worker: [1, -1, 25] } },
    async run(rig, scale) {
      // In hand for longer than a sweep, so that every worker judges the leases of the others.
      await rig.sendMany(Math.ceil(300 * scale), { behaviour: 'slow.600' });
      await untilSettled(rig, 120_000);
      // Without Redis the ledger alone knows a key, whatever period its request falls in.
      rig.servers.proxies.redis.cut();
      for (let round = 0; round < Math.ceil(20 * scale); round += 1) {
        const post = rig.requestTo('ok');
        await Promise.all(rig.apis.map(({ url }) => rig.client.post({ ...post, api: () => url })));
      }
      rig.servers.proxies.redis.restore();
      return {};
    },
  },
  {
    id: 'F32',
    fault: 'four workers find all mail by their sweeps alone: no bell is heard',
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
    fault: 'a template with 2,000 placeholders, deep JSON and 1 MB bodies beside usual mail',
    async run(rig, scale) {
      const placeholders = Array.from({ length: 2_000 }, () => '{{word}}').join(' ');
      const template = await createTemplate(rig.ctx, rig.tenant.workspaceId, {
        name: 'Heavy',
        subject: 'Heavy',
        htmlBody: placeholders,
        textBody: placeholders,
      });
      const heavy = { template_id: template.id, template_vars: { word: 'x'.repeat(900) } };
      let isOver = false;
      const abuse = rig.client.load(4, () => (isOver ? null : rig.requestTo('ok', nextAbuse(rig, heavy))));
      await sleep(500);
      const usual = await rig.sendMany(Math.ceil(200 * scale), { inFlight: 2 });
      isOver = true;
      const abused = await abuse;
      const p99 = percentile(
        usual.map(({ ms }) => ms),
        0.99,
      );
      const broken = abused.filter(({ status }) => status === null || status >= 500).length;
      return {
        figures: `${abused.length} heavy requests; the others' p99 ${Math.round(p99 ?? 0)} ms`,
        violations: [
          ...expectThat(count(usual, 202) === usual.length, 'a usual send was not accepted'),
          ...expectThat(broken === 0, `${broken} heavy requests ended in a 5xx or without an answer`),
        ],
      };
    },
  },
  {
    id: 'flood',
    fault: '10,000 emails of one workspace wait for a slow mail server; another workspace sends one at a time',
    async run(rig, scale) {
      await rig.sendMany(Math.ceil(10_000 * scale), { inFlight: 50, behaviour: 'slow.20' });
      const other = await createTestWorkspace(rig.ctx, { planId: 'pro' });
      const waits: number[] = [];
      for (let mail = 0; mail < 20; mail += 1) waits.push(await timeSingleMail(rig, other));
      const { rows } = await rig.ctx.db.raw("select count(*)::int as waiting from emails where status = 'queued'");
      await untilSettled(rig, 300_000);
      const [median, slowest] = [percentile(waits, 0.5) ?? 0, percentile(waits, 1) ?? 0];
      return {
        figures: `${rows[0].waiting} waited at the end; single mails took ${Math.round(median)} ms (median), ${Math.round(slowest)} ms (slowest)`,
        violations: [
          ...expectThat(rows[0].waiting > 0, 'the flood was over before the single mails'),
          ...expectThat(slowest < 1_000, `a single mail took ${slowest} ms`),
        ],
      };
    },
  },
];

/** From the 202 to the mail server, in ms. */
async function timeSingleMail(rig: Rig, { key }: TestWorkspace): Promise<number> {
  const post = rig.requestTo('ok', { authorization: `Bearer ${key}` });
  await rig.client.post(post);
  const startedAt = performance.now();
  await until('the single mail is handed over', () => rig.smtp.handoffs.some(({ to }) => to[0] === post.to[0]));
  return performance.now() - startedAt;
}

function nextAbuse(rig: Rig, heavy: object) {
  const deep = JSON.parse(`${'['.repeat(1_000)}1${']'.repeat(1_000)}`);
  const extra = rig.random.pick<object>([
    { text: undefined, subject: undefined, ...heavy },
    { headers: deep },
    { html: 'x'.repeat(1_000_000) },
  ]);
  return { extra, key: null };
}
