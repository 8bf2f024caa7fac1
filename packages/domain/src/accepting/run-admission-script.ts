import type { Periods, Workspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { Rejection } from '@posthorn/platform/batching';
import { type IncarnationKeys, keys, lifetimes, type RedisClient } from '@posthorn/platform/redis';
import { ADMISSION_SCRIPT } from './admission-script.js';
import { groupByWorkspace } from './group-by-workspace.js';
import type { IdempotencyKey } from './idempotency-key.js';

/** What the admission check needs to know about one request. */
export type AdmissionRequest = {
  /** The API key or user whose rate limit the request counts against. */
  readonly callerId: string;
  readonly workspace: Workspace;
  readonly periods: Periods;
  /** How many emails to count against the rate limit: one, or all emails of a batch. */
  readonly emails: number;
  /** How many recipients to count. If 0, only the rate limit and the key are checked. */
  readonly sends: number;
  readonly idempotencyKey: IdempotencyKey | null;
};

/** The script's input, sent as JSON because encoding one string is much cheaper than encoding hundreds of arguments. */
type AdmissionScriptInput = {
  readonly lockSeconds: number;
  readonly settings: ReadonlyArray<{ limit: number; monthlyCap: number | undefined; dailyCap: number | undefined }>;
  /** `fingerprint` is absent if the request has no idempotency key. */
  readonly requests: ReadonlyArray<[setting: number, emails: number, sends: number, fingerprint?: string]>;
};

/**
 * The script's reply to one request. `detail` says how much of a cap is used, or how many seconds it takes until the
 * rate limit has room.
 */
export type AdmissionReply = [decision: string, remaining: number, resetSeconds: number, detail: string];

export function defineAdmissionScript(redis: RedisClient): void {
  redis.defineCommand('checkAdmission', { lua: ADMISSION_SCRIPT });
}

type AdmissionRedis = RedisClient & { checkAdmission(...args: Array<string | number>): Promise<string> };

type ScriptContext = Pick<Context, 'incarnationKeys' | 'redis'>;

/** Runs the script once per workspace for requests that arrived together. */
export async function runAdmissionScript(
  ctx: ScriptContext,
  requests: AdmissionRequest[],
): Promise<Array<AdmissionReply | Rejection>> {
  const replies = new Map<AdmissionRequest, AdmissionReply | Rejection>();
  await Promise.all(
    groupByWorkspace(requests, ({ workspace }) => workspace.id).map(async (group) => {
      const groupReplies = await runForWorkspace(ctx, group);
      group.forEach((request, index) => {
        replies.set(request, groupReplies[index] as AdmissionReply | Rejection);
      });
    }),
  );
  return requests.map((request) => replies.get(request) as AdmissionReply | Rejection);
}

async function runForWorkspace(
  { incarnationKeys, redis }: ScriptContext,
  group: AdmissionRequest[],
): Promise<Array<AdmissionReply | Rejection>> {
  try {
    const { names, input } = toCall(incarnationKeys, group);
    const reply = (redis as AdmissionRedis).checkAdmission(names.length, ...names, JSON.stringify(input));
    return JSON.parse(await reply);
  } catch (error) {
    return group.map(() => new Rejection(error));
  }
}

/** Lists the key names in the order in which the script reads them. */
function toCall(
  incarnationKeys: IncarnationKeys,
  group: AdmissionRequest[],
): { names: string[]; input: AdmissionScriptInput } {
  const settings = new Map<string, { number: number; request: AdmissionRequest }>();
  const names: string[] = [];
  const requests: Array<AdmissionScriptInput['requests'][number]> = [];
  for (const request of group) {
    const { workspace, idempotencyKey, emails, sends } = request;
    const text = settingText(request);
    const setting = settings.get(text) ?? { number: settings.size + 1, request };
    settings.set(text, setting);
    if (idempotencyKey) names.push(incarnationKeys.idempotency(workspace.id, idempotencyKey.keyHash));
    const { number } = setting;
    requests.push(idempotencyKey ? [number, emails, sends, idempotencyKey.fingerprint] : [number, emails, sends]);
  }
  const shared = [...settings.values()].map(({ request }) => request);
  return {
    names: [...shared.flatMap((request) => keysOfSetting(incarnationKeys, request)), ...names],
    input: { lockSeconds: lifetimes.idempotencyLockSeconds, settings: shared.map(capsOfSetting), requests },
  };
}

/** Returns the same string for all requests that share counters and limits. */
function settingText({ callerId, workspace: { allowance }, periods }: AdmissionRequest): string {
  return `${callerId} ${periods.day} ${allowance.ratePerMinute} ${allowance.monthlyCap} ${allowance.daily}`;
}

function keysOfSetting(
  incarnationKeys: IncarnationKeys,
  { callerId, workspace: { id }, periods }: AdmissionRequest,
): string[] {
  return [keys.rate(id, callerId), incarnationKeys.usage(id, periods.month), incarnationKeys.usage(id, periods.day)];
}

function capsOfSetting({ workspace: { allowance } }: AdmissionRequest): AdmissionScriptInput['settings'][number] {
  const { ratePerMinute, monthlyCap, daily } = allowance;
  return { limit: ratePerMinute, monthlyCap: monthlyCap ?? undefined, dailyCap: daily ?? undefined };
}
