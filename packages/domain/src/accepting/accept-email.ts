import { failpoint } from '#failpoint';
import type { Caller } from '../accounts/caller.js';
import { Refusal } from '../errors.js';
import type { Rate } from '../rate-limits/rate-limit-state.js';
import type { Claim } from '../usage/claim.js';
import { periodsAt } from '../usage/periods.js';
import type { Acceptance } from './accept-context.js';
import type { Asked } from './admission-call.js';
import { passGate } from './admit-email.js';
import { draftEmail } from './draft-email.js';
import type { NewEmail, SendRequest } from './new-email.js';

/** Who asks for what. `answer` writes the body that the client gets, now and for a repeated key. */
export type Submission = {
  readonly caller: Pick<Caller, 'id' | 'workspace'>;
  readonly request: SendRequest;
  readonly claim: Claim | null;
  readonly answer: (email: NewEmail) => string;
};

/** `body` is the answer, byte for byte; `replayed` when the key had it already. */
export type Accepted = { readonly body: string; readonly replayed: boolean; readonly rate: Rate };

/**
 * FLOW 1, from a valid request to a stored email: draft (sender, content) -> gate (rate limit, key,
 * caps) -> ledger (keys, caps, rows; it rings the bell) -> answer.
 *
 * Refusals win in the contract's order: rate limit, key, sender and template, caps. The gate must
 * know what it lets through, so the draft is made first and its refusal waits for the gate's word.
 * @throws Refusal; any other error means that nothing is known to be stored
 */
export async function acceptEmail(acceptance: Acceptance, submission: Submission): Promise<Accepted> {
  const draft = await draftEmail(acceptance, submission.caller.workspace, submission.request);
  const asked = askFor(acceptance, submission, draft);
  failpoint('before_gate');
  const passed = await passGate(acceptance, asked, draft);
  failpoint('after_gate');
  const { rate } = passed;
  if ('replay' in passed) return { body: passed.replay, replayed: true, rate };
  return store(acceptance, { submission, asked, email: passed.email, rate });
}

/** Counts a request whose body was refused; it holds no email yet. @throws Refusal rate_limited */
export async function chargeRate(acceptance: Acceptance, caller: Submission['caller']): Promise<Rate> {
  const { workspace, id: callerId } = caller;
  const periods = periodsAt(acceptance.now());
  const passed = await acceptance.gate.pass({ callerId, workspace, periods, sends: 0, claim: null });
  return passed.rate;
}

function askFor({ now }: Acceptance, { caller, claim }: Submission, draft: NewEmail | Refusal): Asked {
  const isRefused = draft instanceof Refusal;
  return {
    callerId: caller.id,
    workspace: caller.workspace,
    periods: periodsAt(isRefused ? now() : draft.createdAt),
    sends: isRefused ? 0 : draft.recipients.length,
    claim,
  };
}

type Passing = { submission: Submission; asked: Asked; email: NewEmail; rate: Rate };

async function store(acceptance: Acceptance, { submission, asked, email, rate }: Passing): Promise<Accepted> {
  const { workspace, periods, claim } = asked;
  const answer = submission.answer(email);
  try {
    const { replay } = await acceptance.writeLedger({ workspace, periods, email, claim, answer });
    const body = replay ?? answer;
    if (claim) acceptance.gate.remember(workspace.id, claim, body);
    failpoint('before_answer');
    return { body, replayed: replay !== null, rate };
  } catch (error) {
    acceptance.gate.release(asked);
    throw error instanceof Refusal ? error.with({ rate }) : error;
  }
}
