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

/** What the script returns: `detail` is an answer, or what is used of a cap. */
export type GateReply = [verdict: string, remaining: number, resetSeconds: number, detail: string];

export function defineGate(redis: Redis): void {
  redis.defineCommand('passGate', { numberOfKeys: 5, lua: GATE_SCRIPT });
}

/** One round trip for all that asked at once. */
export async function askTogether(redis: Redis, inputs: Asked[]): Promise<Array<GateReply | Rejection>> {
  const pipeline = redis.pipeline() as ReturnType<Redis['pipeline']> & {
    passGate(...args: Array<string | number>): unknown;
  };
  for (const asked of inputs) pipeline.passGate(...gateArguments(asked));
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, reply]) => (error ? new Rejection(error) : (reply as GateReply)));
}

function gateArguments({ emailId, callerId, workspace, periods, sends, claim }: Asked): Array<string | number> {
  const { allowance, id } = workspace;
  return [
    keys.rate(id, callerId),
    keys.idempotency(id, claim?.keyHash ?? ''),
    keys.usage(id, periods.month),
    keys.usage(id, periods.day),
    keys.pass(id, emailId),
    allowance.ratePerMinute,
    emailId,
    claim?.fingerprint ?? '',
    sends,
    allowance.monthlyCap ?? '',
    allowance.daily ?? '',
    LOCK_SECONDS,
  ];
}
