import type { Redis } from 'ioredis';
import { grouped } from '../grouping.js';
import { keys } from '../redis/keys.js';
import type { Claim } from '../usage/claim.js';

/** A repeat that comes this soon is answered without Postgres. */
const ANSWER_SECONDS = 600;
const MOST_AT_ONCE = 100;

/** Remembers the answer for the requests that repeat the key. */
export type RememberAnswer = (workspaceId: string, claim: Claim, answer: string) => void;

type Answered = { readonly key: string; readonly fingerprint: string; readonly answer: string };

/** What Redis is told of answers, in one write: a group of the ledger is answered all at once. */
export function openAnswerMemory(redis: Redis): RememberAnswer {
  const write = grouped((answers: Answered[]) => writeTogether(redis, answers), { max: MOST_AT_ONCE });
  return (workspaceId, { keyHash, fingerprint }, answer) => {
    // Without Redis the ledger has it.
    write({ key: keys.idempotency(workspaceId, keyHash), fingerprint, answer }).catch(() => {});
  };
}

async function writeTogether(redis: Redis, answers: Answered[]): Promise<null[]> {
  const pipeline = redis.pipeline();
  for (const { key, fingerprint, answer } of answers) {
    pipeline.hset(key, { fingerprint, answer }).expire(key, ANSWER_SECONDS);
  }
  await pipeline.exec();
  return answers.map(() => null);
}
