import type { Redis } from 'ioredis';
import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { grouped } from '../grouping.js';
import { isUnavailable } from '../is-unavailable.js';
import { localLimiter } from '../rate-limits/local-limiter.js';
import type { Rate } from '../rate-limits/rate-limit-state.js';
import { keys } from '../redis/keys.js';
import { capRefusal } from '../usage/cap-refusal.js';
import { counterLoader, forgetCounters } from '../usage/usage-counters.js';
import { type Asked, askTogether, defineGate, type GateReply } from './admission-call.js';
import { openAnswerMemory, type RememberAnswer } from './response-cache.js';

const MOST_AT_ONCE = 100;
/** Counters that were loaded may be forgotten before they are asked: each cancellation forgets them. */
const MOST_LOADS = 2;
const WAIT_FOR_ANSWER_MS = 5_000;
const WAIT_STEP_MS = 25;

export type Passed = {
  readonly rate: Rate;
  /** The answer that this key was given before; null: the request may go on. */
  readonly replay: string | null;
};

export type Gate = {
  /**
   * Waits while another request with the same key is on its way.
   * @throws Refusal rate_limited, idempotency_key_reused, idempotency_in_progress,
   *   monthly_cap_exceeded, daily_cap_exhausted, unavailable
   */
  pass(asked: Asked): Promise<Passed>;
  readonly remember: RememberAnswer;
  /** Frees the key after a refusal; counters are read again from the ledger. */
  release(asked: Asked): void;
};

/** The gate guards nothing alone: it spares Postgres, and the ledger has the last word. */
export function openGate(ctx: Pick<Context, 'config' | 'db' | 'log' | 'redis'>): Gate {
  const ask = grouped((inputs: Asked[]) => askTogether(ctx.redis, inputs), { max: MOST_AT_ONCE });
  const loadCounters = counterLoader(ctx);
  const localRate = localRates(ctx.config.redisDownMode);
  defineGate(ctx.redis);

  async function askWarm(asked: Asked): Promise<GateReply> {
    let reply = await ask(asked);
    for (let loads = 0; reply[0] === 'cold' && loads < MOST_LOADS; loads += 1) {
      await warm(asked);
      reply = await ask(asked);
    }
    // Rate limit and key need no counters, and the ledger knows the caps.
    return reply[0] === 'cold' ? ask({ ...asked, sends: 0 }) : reply;
  }

  async function warm({ workspace, periods }: Asked): Promise<void> {
    try {
      await loadCounters(workspace.id, periods);
    } catch (error) {
      // Without Postgres the ledger cannot be written either: the client need not wait for that.
      if (isUnavailable(error)) throw new Refusal('unavailable');
      throw error;
    }
  }

  async function passOnce(asked: Asked): Promise<Passed> {
    const reply = await askWarm(asked);
    if (reply[0] !== 'in_progress') return toPassed(reply, asked);
    const replay = await waitForAnswer(ctx.redis, asked, rateOf(reply, asked));
    // Without an answer the other request was refused: now it is this one's turn.
    return replay === null ? toPassed(await askWarm(asked), asked) : { rate: rateOf(reply, asked), replay };
  }

  return {
    async pass(asked) {
      try {
        return await passOnce(asked);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        if (isUnavailable(error)) ctx.log.debug({ error }, 'gate_away');
        else ctx.log.error({ error }, 'gate_failed');
        return { rate: localRate(asked), replay: null };
      }
    },
    remember: openAnswerMemory(ctx.redis),
    release({ workspace, periods, claim }) {
      forgetCounters(ctx.redis, workspace.id, [periods.month, periods.day]);
      if (claim) ignoreOutage(ctx.redis.del(keys.idempotency(workspace.id, claim.keyHash)));
    },
  };
}

function rateOf([, remaining, resetSeconds]: GateReply, { workspace }: Asked): Rate {
  return { limit: workspace.allowance.ratePerMinute, remaining, resetSeconds };
}

function toPassed(reply: GateReply, asked: Asked): Passed {
  const [verdict, , , detail] = reply;
  const rate = rateOf(reply, asked);
  switch (verdict) {
    case 'passed':
      return { rate, replay: null };
    case 'replay':
      return { rate, replay: detail };
    case 'in_progress':
      throw new Refusal('idempotency_in_progress').with({ rate });
    case 'rate_limited':
      throw rateRefusal(rate);
    case 'reused':
      throw new Refusal('idempotency_key_reused').with({ rate });
    case 'monthly_cap':
    case 'daily_cap':
      throw capRefusal(verdict, asked, Number(detail)).with({ rate });
    default:
      throw new Error(`The gate answered ${verdict}`);
  }
}

/** @returns the other request's answer, or null once it gave the key back; waits up to 5 s */
async function waitForAnswer(redis: Redis, { workspace, claim }: Asked, rate: Rate): Promise<string | null> {
  const key = keys.idempotency(workspace.id, claim?.keyHash ?? '');
  for (let waited = 0; waited < WAIT_FOR_ANSWER_MS; waited += WAIT_STEP_MS) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_STEP_MS));
    const [fingerprint, answer] = await redis.hmget(key, 'fingerprint', 'answer');
    if (fingerprint !== claim?.fingerprint) return null;
    if (answer) return answer;
  }
  throw new Refusal('idempotency_in_progress').with({ rate });
}

function rateRefusal(rate: Rate): Refusal {
  const retryAfterSeconds = Math.max(1, rate.resetSeconds);
  return new Refusal('rate_limited', { limit: `${rate.limit} emails per minute`, retryAfterSeconds }).with({ rate });
}

/** Redis is away: the rate limit is kept per process, keys and caps by the ledger alone. */
function localRates(mode: 'accept' | 'refuse') {
  const WINDOW_SECONDS = 60;
  const limiters = new Map<number, ReturnType<typeof localLimiter>>();
  return ({ callerId, workspace }: Asked): Rate => {
    if (mode === 'refuse') throw new Refusal('unavailable');
    const limit = workspace.allowance.ratePerMinute;
    const limiter = limiters.get(limit) ?? localLimiter({ limit, windowSeconds: WINDOW_SECONDS, what: 'emails' });
    limiters.set(limit, limiter);
    const { remaining, resetSeconds } = limiter.state(callerId);
    if (remaining === 0) throw rateRefusal({ limit, remaining, resetSeconds });
    limiter.count(callerId);
    return { limit, ...limiter.state(callerId) };
  };
}

function ignoreOutage(command: Promise<unknown>): void {
  command.catch(() => {});
}
