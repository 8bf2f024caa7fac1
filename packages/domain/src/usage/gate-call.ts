import type { Redis } from 'ioredis';
import type { Workspace } from '../accounts/caller.js';
import { Rejection } from '../grouping.js';
import { keys } from '../redis/keys.js';
import type { Claim } from './claim.js';
import { GATE_SCRIPT } from './gate-script.js';
import type { Periods } from './periods.js';

/**
 * How long a key stays locked when the process that took it died. Longer than a ledger takes; should
 * one take longer still, the ledger itself lets nobody use the key twice.
 */
const LOCK_SECONDS = 10;

/** What a send asks of the gate. */
export type Asked = {
  readonly emailId: string;
  readonly callerId: string;
  readonly workspace: Workspace;
  readonly periods: Periods;
  /** Recipients to count; 0 asks for the rate limit and the key alone. */
  readonly sends: number;
  readonly claim: Claim | null;
};

/** What the script returns for each: `detail` is an answer, or what is used of a cap. */
export type GateReply = [verdict: string, remaining: number, resetSeconds: number, detail: string];

export function defineGate(redis: Redis): void {
  redis.defineCommand('passGate', { lua: GATE_SCRIPT });
}

type GateRedis = Redis & { passGate(...args: Array<string | number>): Promise<GateReply[]> };

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
  const { names, args } = toCall(group);
  try {
    return await redis.passGate(names.length, ...names, ...args);
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

/** Keys and arguments in the order in which the script takes them. */
function toCall(group: Asked[]): { names: string[]; args: Array<string | number> } {
  const settings = new Map<string, { number: number; asked: Asked }>();
  const [names, args]: [string[], Array<string | number>] = [[], []];
  for (const asked of group) {
    const text = settingText(asked);
    const setting = settings.get(text) ?? { number: settings.size + 1, asked };
    settings.set(text, setting);
    const { emailId, workspace, sends, claim } = asked;
    names.push(keys.pass(workspace.id, emailId));
    if (claim) names.push(keys.idempotency(workspace.id, claim.keyHash));
    args.push(setting.number, sends, claim?.fingerprint ?? '');
  }
  const shared = [...settings.values()].map(({ asked }) => asked);
  return {
    names: [...shared.flatMap(keysOfSetting), ...names],
    args: [LOCK_SECONDS, shared.length, ...shared.flatMap(capsOfSetting), ...args],
  };
}

/** Equal for sends that count in the same places and are held to the same numbers. */
function settingText({ callerId, workspace: { allowance }, periods }: Asked): string {
  return `${callerId} ${periods.day} ${allowance.ratePerMinute} ${allowance.monthlyCap} ${allowance.daily}`;
}

function keysOfSetting({ callerId, workspace: { id }, periods }: Asked): string[] {
  return [keys.rate(id, callerId), keys.usage(id, periods.month), keys.usage(id, periods.day)];
}

function capsOfSetting({ workspace: { allowance } }: Asked): Array<string | number> {
  return [allowance.ratePerMinute, allowance.monthlyCap ?? '', allowance.daily ?? ''];
}
