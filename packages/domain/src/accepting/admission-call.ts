import type { Redis } from 'ioredis';
import type { Workspace } from '../accounts/caller.js';
import { Rejection } from '../grouping.js';
import { keys } from '../redis/keys.js';
import type { Claim } from '../usage/claim.js';
import type { Periods } from '../usage/periods.js';
import { GATE_SCRIPT } from './admission-script.js';

/**
 * How long a key stays locked when the process that took it died. Longer than a ledger takes; should
 * one take longer still, the ledger itself lets nobody use the key twice.
 */
const LOCK_SECONDS = 10;

/** What a send asks of the gate. */
export type Asked = {
  readonly callerId: string;
  readonly workspace: Workspace;
  readonly periods: Periods;
  /** Recipients to count; 0 asks for the rate limit and the key alone. */
  readonly sends: number;
  readonly claim: Claim | null;
};

/** What the script is asked, as JSON: one text is far quicker to write and to read than hundreds. */
type GateQuestion = {
  readonly lockSeconds: number;
  readonly settings: ReadonlyArray<{ limit: number; monthlyCap: number | undefined; dailyCap: number | undefined }>;
  /** The fingerprint of those that have a claim. */
  readonly sends: ReadonlyArray<[setting: number, sends: number, fingerprint?: string]>;
};

/** What it answers to each: `detail` is an answer, or what is used of a cap. */
export type GateReply = [verdict: string, remaining: number, resetSeconds: number, detail: string];

export function defineGate(redis: Redis): void {
  redis.defineCommand('passGate', { lua: GATE_SCRIPT });
}

type GateRedis = Redis & { passGate(...args: Array<string | number>): Promise<string> };

/** One call of the script for each workspace among those that asked at once. */
export async function askTogether(redis: Redis, inputs: Asked[]): Promise<Array<GateReply | Rejection>> {
  const replies = new Map<Asked, GateReply | Rejection>();
  await Promise.all(
    byWorkspace(inputs).map(async (group) => {
      const answers = await askForWorkspace(redis as GateRedis, group);
      group.forEach((asked, index) => {
        replies.set(asked, answers[index] as GateReply | Rejection);
      });
    }),
  );
  return inputs.map((asked) => replies.get(asked) as GateReply | Rejection);
}

async function askForWorkspace(redis: GateRedis, group: Asked[]): Promise<Array<GateReply | Rejection>> {
  const { names, question } = toCall(group);
  try {
    return JSON.parse(await redis.passGate(names.length, ...names, JSON.stringify(question)));
  } catch (error) {
    return group.map(() => new Rejection(error));
  }
}

/** In a cluster one script may touch the keys of one workspace only. */
function byWorkspace(inputs: Asked[]): Asked[][] {
  const groups = new Map<string, Asked[]>();
  for (const asked of inputs) {
    const group = groups.get(asked.workspace.id);
    if (group) group.push(asked);
    else groups.set(asked.workspace.id, [asked]);
  }
  return [...groups.values()];
}

/** Keys in the order in which the script takes them. */
function toCall(group: Asked[]): { names: string[]; question: GateQuestion } {
  const settings = new Map<string, { number: number; asked: Asked }>();
  const names: string[] = [];
  const sends: Array<GateQuestion['sends'][number]> = [];
  for (const asked of group) {
    const { workspace, claim } = asked;
    const text = settingText(asked);
    const setting = settings.get(text) ?? { number: settings.size + 1, asked };
    settings.set(text, setting);
    if (claim) names.push(keys.idempotency(workspace.id, claim.keyHash));
    sends.push(claim ? [setting.number, asked.sends, claim.fingerprint] : [setting.number, asked.sends]);
  }
  const shared = [...settings.values()].map(({ asked }) => asked);
  return {
    names: [...shared.flatMap(keysOfSetting), ...names],
    question: { lockSeconds: LOCK_SECONDS, settings: shared.map(capsOfSetting), sends },
  };
}

/** Equal for sends that count in the same places and are held to the same numbers. */
function settingText({ callerId, workspace: { allowance }, periods }: Asked): string {
  return `${callerId} ${periods.day} ${allowance.ratePerMinute} ${allowance.monthlyCap} ${allowance.daily}`;
}

function keysOfSetting({ callerId, workspace: { id }, periods }: Asked): string[] {
  return [keys.rate(id, callerId), keys.usage(id, periods.month), keys.usage(id, periods.day)];
}

function capsOfSetting({ workspace: { allowance } }: Asked): GateQuestion['settings'][number] {
  const { ratePerMinute, monthlyCap, daily } = allowance;
  return { limit: ratePerMinute, monthlyCap: monthlyCap ?? undefined, dailyCap: daily ?? undefined };
}
