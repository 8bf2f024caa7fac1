import { SLIDING_WINDOW_SCRIPT } from '@posthorn/domain/throttles';
import { buildUsageKey } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { type Rejection, toRejection } from '@posthorn/platform/batching';
import type { RedisClient } from '@posthorn/platform/redis';
import { type AdmissionRequest, buildEmailWindows, buildSettingText } from './admission-request.js';
import type { Reserved, ReserveInput, Reserves } from './admission-reserve.js';
import { buildIdempotencyRedisKey } from './idempotency-key.js';

/**
 * The lock on an idempotency key expires after this time, in case the process that set it dies. It is meant to outlive
 * any accept transaction. If a transaction takes longer, Postgres still refuses to use the key twice.
 */
const LOCK_SECONDS = 10;

/** The script's input, sent as JSON because encoding one string is much cheaper than encoding hundreds of arguments. */
type AdmissionScriptInput = {
  readonly lockSeconds: number;
  readonly settings: ReadonlyArray<{
    limit: number;
    workspaceLimit: number;
    monthlyCap: number | undefined;
    dailyCap: number | undefined;
    reserve: ReserveInput;
  }>;
  /** `fingerprint` is absent if the request has no idempotency key. */
  readonly requests: ReadonlyArray<[setting: number, emails: number, sends: number, fingerprint?: string]>;
};

/**
 * The script's reply to one request. `detail` says how much of a cap is used, or how many seconds it takes until the
 * rate limit has room. `isOfWorkspace` is 1 if the workspace's rate limit has less room than the caller's. All numbers
 * are then about that one.
 */
export type AdmissionReply = [
  decision: string,
  remaining: number,
  resetSeconds: number,
  detail: string,
  isOfWorkspace: number,
];

/** `reserved` has an entry for each setting: false if nothing was reserved. */
type AdmissionScriptReply = {
  readonly replies: AdmissionReply[];
  readonly reserved: ReadonlyArray<Reserved | false>;
};

export function defineAdmissionScript(redis: RedisClient): void {
  redis.defineCommand('checkAdmission', { lua: ADMISSION_SCRIPT });
}

type AdmissionRedis = RedisClient & { checkAdmission(...args: Array<string | number>): Promise<string> };

type ScriptContext = Pick<Context, 'incarnation' | 'redis'> & { readonly reserves: Reserves };

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
  ctx: ScriptContext,
  group: AdmissionRequest[],
): Promise<Array<AdmissionReply | Rejection>> {
  try {
    const { names, settings, input } = toCall(ctx, group);
    const reply = (ctx.redis as AdmissionRedis).checkAdmission(names.length, ...names, JSON.stringify(input));
    const { replies, reserved }: AdmissionScriptReply = JSON.parse(await reply);
    for (const [index, { text, request }] of settings.entries()) {
      const ofSetting = reserved[index];
      if (ofSetting) ctx.reserves.keep(text, request, ofSetting);
    }
    return replies;
  } catch (error) {
    return group.map(() => toRejection(error));
  }
}

/** What requests have in common, the first of them, and how many of them have no idempotency key. */
type Setting = {
  readonly text: string;
  readonly number: number;
  readonly request: AdmissionRequest;
  readonly withoutKey: { requests: number; emails: number };
};

type Call = {
  readonly settings: readonly Setting[];
  /** The key names, in the order in which the script reads them. */
  readonly names: readonly string[];
  readonly input: AdmissionScriptInput;
};

function toCall(ctx: ScriptContext, group: AdmissionRequest[]): Call {
  const settings = new Map<string, Setting>();
  const names: string[] = [];
  const requests: Array<AdmissionScriptInput['requests'][number]> = [];
  for (const request of group) {
    const { workspace, idempotencyKey, emails, sends } = request;
    const text = buildSettingText(request);
    const setting = settings.get(text) ?? createSetting(text, settings.size + 1, request);
    settings.set(text, setting);
    const { number, withoutKey } = setting;
    if (idempotencyKey) names.push(buildIdempotencyRedisKey(ctx, workspace.id, idempotencyKey.keyHash));
    else {
      withoutKey.requests += 1;
      withoutKey.emails += emails;
    }
    requests.push(idempotencyKey ? [number, emails, sends, idempotencyKey.fingerprint] : [number, emails, sends]);
  }
  const shared = [...settings.values()];
  return {
    settings: shared,
    names: [...shared.flatMap(({ request }) => keysOfSetting(ctx, request)), ...names],
    input: {
      lockSeconds: LOCK_SECONDS,
      settings: shared.map(({ text, request, withoutKey }) => ({
        ...limitsOfSetting(request),
        reserve: ctx.reserves.endForCall(text, withoutKey),
      })),
      requests,
    },
  };
}

function createSetting(text: string, number: number, request: AdmissionRequest): Setting {
  return { text, number, request, withoutKey: { requests: 0, emails: 0 } };
}

function keysOfSetting(ctx: ScriptContext, { callerId, workspace, periods }: AdmissionRequest): string[] {
  const { id } = workspace;
  const { ofCaller, ofWorkspace } = buildEmailWindows({ callerId, workspace });
  return [ofCaller.key, ofWorkspace.key, buildUsageKey(ctx, id, periods.month), buildUsageKey(ctx, id, periods.day)];
}

function limitsOfSetting(request: AdmissionRequest): Omit<AdmissionScriptInput['settings'][number], 'reserve'> {
  const { monthlyCap, daily } = request.workspace.allowance;
  const { ofCaller, ofWorkspace } = buildEmailWindows(request);
  const rates = { limit: ofCaller.limit, workspaceLimit: ofWorkspace.limit };
  return { ...rates, monthlyCap: monthlyCap ?? undefined, dailyCap: daily ?? undefined };
}

/**
 * The admission check as one atomic step in Redis. It checks any number of requests from one workspace, one after the
 * other. It changes nothing for a request whose usage counter is missing ("counters_missing").
 *
 * Limits that several requests share are passed only once, as a setting.
 * KEYS: for each setting, the rate windows of the caller and of the workspace, the month's counter and the day's counter;
 * then the idempotency key of each request that has one
 * ARGV: an `AdmissionScriptInput` as JSON
 * Returns an `AdmissionScriptReply` as JSON
 */
const ADMISSION_SCRIPT = `${SLIDING_WINDOW_SCRIPT}
local input = cjson.decode(ARGV[1])

local keysTaken = 0
local function key()
  keysTaken = keysTaken + 1
  return KEYS[keysTaken]
end

-- Each counter is read and written once per call, however many requests it counts.
local counters = {}

-- The field "used" is nil if the counter is not in Redis.
local function counterOf(name)
  counters[name] = counters[name] or { used = tonumber(redis.call('GET', name) or nil), added = 0 }
  return counters[name]
end

local function writeCounters()
  for name, counter in pairs(counters) do
    if counter.added > 0 then redis.call('INCRBY', name, counter.added) end
  end
end

local function check(setting, emails, sends, fingerprint, idempotency)
  local month, day = counterOf(setting.month), counterOf(setting.day)
  local function isMissing(counter, cap)
    return sends > 0 and cap and not counter.used
  end
  if isMissing(month, setting.monthlyCap) or isMissing(day, setting.dailyCap) then return { 'counters_missing', 0, 0, '', 0 } end

  local caller, workspace = windowOf(setting.rate), windowOf(setting.workspaceRate)
  local function replyWith(window, limit, decision, detail)
    local remaining = math.max(0, limit - window.total)
    return { decision, remaining, resetSeconds(window), detail or '', window == workspace and 1 or 0 }
  end
  local function reply(decision, detail)
    local window, limit = tighterOf(caller, setting.limit, workspace, setting.workspaceLimit)
    return replyWith(window, limit, decision, detail)
  end
  local full, fullLimit = findFull(caller, setting.limit, workspace, setting.workspaceLimit, emails)
  if full then
    return replyWith(full, fullLimit, 'rate_limited', tostring(secondsUntilRoom(full, fullLimit, emails)))
  end
  countIn(caller, emails)
  countIn(workspace, emails)

  if fingerprint then
    local known = redis.call('HMGET', idempotency, 'fingerprint', 'stored')
    if known[1] and known[1] ~= fingerprint then return reply('key_reused') end
    if known[2] then return reply('stored') end
    if known[1] then return reply('in_progress') end
  end

  if sends > 0 then
    local function isOver(counter, cap)
      return cap and counter.used + sends > cap
    end
    if isOver(month, setting.monthlyCap) then return reply('monthly_cap', tostring(month.used)) end
    if isOver(day, setting.dailyCap) then return reply('daily_cap', tostring(day.used)) end
    -- Counters without a cap are incremented too, so that they apply if the plan changes.
    for _, counter in ipairs({ month, day }) do
      if counter.used then
        counter.used = counter.used + sends
        counter.added = counter.added + sends
      end
    end
    if fingerprint then
      redis.call('HSET', idempotency, 'fingerprint', fingerprint)
      redis.call('EXPIRE', idempotency, input.lockSeconds)
    end
  end
  return reply('admitted')
end

-- No more of what is left is reserved, so that other processes find enough.
local MAX_RESERVED_SHARE = 1 / 20

local function reserve(setting)
  if setting.reserve.wanted == 0 then return false end
  local caller, workspace = windowOf(setting.rate), windowOf(setting.workspaceRate)
  local window, limit = tighterOf(caller, setting.limit, workspace, setting.workspaceLimit)
  local left = limit - window.total
  local room = left
  local function boundRoomBy(counter, cap)
    if cap then room = math.min(room, counter.used and cap - counter.used or 0) end
  end
  boundRoomBy(counterOf(setting.month), setting.monthlyCap)
  boundRoomBy(counterOf(setting.day), setting.dailyCap)
  local emails = math.min(setting.reserve.wanted, math.floor(room * MAX_RESERVED_SHARE))
  if emails <= 0 then return false end
  countIn(caller, emails)
  countIn(workspace, emails)
  return { emails = emails, second = now, limit = limit, remaining = left, resetSeconds = resetSeconds(window) }
end

for _, setting in ipairs(input.settings) do
  setting.rate, setting.workspaceRate, setting.month, setting.day = key(), key(), key(), key()
  for _, name in ipairs({ setting.rate, setting.workspaceRate }) do
    takeOut(name, setting.reserve.unused[1], setting.reserve.unused[2])
  end
end
local replies = {}
for position, request in ipairs(input.requests) do
  local setting, emails, sends, fingerprint = input.settings[request[1]], request[2], request[3], request[4]
  replies[position] = check(setting, emails, sends, fingerprint, fingerprint and key())
end
local reserved = {}
for position, setting in ipairs(input.settings) do
  reserved[position] = reserve(setting)
end
writeWindows()
writeCounters()
return cjson.encode({ replies = replies, reserved = reserved })
`;

/**
 * Groups what arrived together. In a Redis Cluster, the keys of one workspace share a slot, and a script or a pipeline
 * may use only one.
 */
export function groupByWorkspace<Item>(items: readonly Item[], workspaceIdOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const id = workspaceIdOf(item);
    const group = groups.get(id);
    if (group) group.push(item);
    else groups.set(id, [item]);
  }
  return [...groups.values()];
}
