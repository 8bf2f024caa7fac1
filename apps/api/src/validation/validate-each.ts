import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type FieldFault, faultAt, invalid, Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';

const { max: MAX_ITEMS } = limits.batch;
/** After this time, other requests are handled first, so that a large batch does not delay them. */
const MAX_MS_WITHOUT_YIELD = 5;

/**
 * Validates the items of a batch one by one.
 * @param validateOne returns the valid item, or throws Refusal validation_failed
 * @throws Refusal validation_failed. The path of each field begins with the index of its item, such as `[2].to[0]`
 */
export async function validateEach<Item>(body: unknown, validateOne: (item: unknown) => Item): Promise<Item[]> {
  const items = itemsOf(body);
  const valid: Item[] = [];
  const faults: FieldFault[] = [];
  let resumedAt = performance.now();
  for (const [index, item] of items.entries()) {
    try {
      valid.push(validateOne(item));
    } catch (error) {
      faults.push(...faultsAt(index, error));
    }
    if (faults.length >= limits.faults.max) break;
    if (performance.now() - resumedAt < MAX_MS_WITHOUT_YIELD) continue;
    await yieldToEventLoop();
    resumedAt = performance.now();
  }
  if (faults.length > 0) throw invalid(...faults);
  return valid;
}

function itemsOf(body: unknown): readonly unknown[] {
  const message = `must be an array of 1 to ${MAX_ITEMS} emails`;
  if (!Array.isArray(body)) {
    const example = '[{"to": …}, {"to": …}]';
    throw invalid({ field: '', message: `${message}, such as ${example}; send a single email to /api/v1/emails` });
  }
  if (body.length === 0) throw invalid({ field: '', message: `${message}, but it is empty` });
  if (body.length > MAX_ITEMS) {
    throw invalid({ field: '', message: `${message}, but it has ${body.length}. Split it into several batches` });
  }
  return body;
}

function faultsAt(index: number, error: unknown): FieldFault[] {
  if (!(error instanceof Refusal) || error.extras.faults === undefined) throw error;
  return error.extras.faults.map((fault) => faultAt(index, fault));
}
