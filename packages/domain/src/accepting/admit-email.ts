import { inPipeline } from '../database/pipeline.js';
import { Refusal, type RefusalCode } from '../errors.js';
import type { Rate } from '../rate-limits/rate-limit-state.js';
import type { Acceptance } from './accept-context.js';
import type { Asked } from './admission-call.js';
import { findAnswers, type StoredAnswer } from './idempotency-store.js';
import type { NewEmail } from './new-email.js';

/** Refusals that come before the key's turn, or are the key's own. */
const BEFORE_REPLAY: ReadonlySet<RefusalCode> = new Set([
  'rate_limited',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'unavailable',
]);

/** The email may go to the ledger, or its key has an answer already. */
export type PassedGate = { readonly rate: Rate } & ({ readonly email: NewEmail } | { readonly replay: string });

/**
 * Asks the gate, then lets a refused draft have its say. Redis forgets keys sooner than Postgres, so
 * before a key's request is refused the ledger is asked for its answer: a replay passes a spent cap
 * and a template that was deleted since.
 * @throws Refusal
 */
export async function passGate(acceptance: Acceptance, asked: Asked, draft: NewEmail | Refusal): Promise<PassedGate> {
  try {
    const { rate, replay } = await acceptance.gate.pass(asked);
    if (replay !== null) return { rate, replay };
    if (draft instanceof Refusal) throw draft.with({ rate });
    return { rate, email: draft };
  } catch (error) {
    if (!(error instanceof Refusal) || BEFORE_REPLAY.has(error.code)) throw error;
    const { rate } = error.extras;
    const known = await findAnswer(acceptance, asked);
    if (known === null || rate === undefined) throw error;
    if (known.fingerprint !== asked.claim?.fingerprint) throw new Refusal('idempotency_key_reused').with({ rate });
    return { rate, replay: known.answer };
  }
}

async function findAnswer({ db }: Acceptance, { workspace, claim }: Asked): Promise<StoredAnswer | null> {
  if (!claim) return null;
  const claims = [{ workspaceId: workspace.id, keyHash: claim.keyHash }];
  const answers = await inPipeline(db, (send) => findAnswers(send, claims));
  return answers.get(`${workspace.id}/${claim.keyHash}`) ?? null;
}
