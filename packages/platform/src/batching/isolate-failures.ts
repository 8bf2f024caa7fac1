import { isLockTimeout, isUnavailable } from '@posthorn/platform/postgres';
import { isRejection, type Rejection, toRejection } from './grouping.js';

type Isolation<Item> = {
  /** Called with an item that has failed on its own, before other items are acted on. */
  readonly onRefused?: (item: Item, error: unknown) => Promise<void>;
  /** Whether one item may also be the cause of a lock timeout. By default, that ends the work like an outage. */
  readonly isolatesLocks?: boolean;
};

/**
 * Acts on all items together. If that fails, keeps halving the group until the items that cause the failure are alone,
 * so that they hold up no others. An outage is no item's fault, so it ends the work. A statement that includes a locked
 * row waits for the whole timeout, so after a lock timeout, each item of the group is tried alone.
 * @param act returns one result for each item, in the same order. It must do nothing if it throws
 * @returns one result for each item, in the same order: a Rejection if the item failed on its own, or if an outage came
 *   before it
 * @throws the error of an outage that came before any result
 */
export async function isolateFailures<Item, Result>(
  items: readonly Item[],
  act: (items: Item[]) => Promise<ReadonlyArray<Result | Rejection>>,
  { onRefused, isolatesLocks = false }: Isolation<Item> = {},
): Promise<Array<Result | Rejection>> {
  const results: Array<Result | Rejection> = [];
  const groups = items.length === 0 ? [] : [[...items]];
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    try {
      results.push(...(await act(group)));
    } catch (error) {
      const cause = findCause(error, isolatesLocks);
      if (cause === 'outage') return withoutRest(items, results, error);
      if (group.length > 1) groups.push(...split(group, cause).reverse());
      else {
        await onRefused?.(group[0] as Item, error);
        results.push(toRejection(error));
      }
    }
  }
  return results;
}

function withoutRest<Item, Result>(items: readonly Item[], results: ReadonlyArray<Result | Rejection>, error: unknown) {
  if (results.length === 0) throw error;
  return [...results, ...items.slice(results.length).map(() => toRejection(error))];
}

type Cause = 'outage' | 'locked_item' | 'refused_item';

function findCause(error: unknown, isolatesLocks: boolean): Cause {
  if (isolatesLocks && isLockTimeout(error)) return 'locked_item';
  return isUnavailable(error) ? 'outage' : 'refused_item';
}

function split<Item>(group: readonly Item[], cause: Cause): Item[][] {
  if (cause === 'locked_item') return group.map((item) => [item]);
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}

/** @throws the error of the outage because of which `isolateFailures` did not act on every item */
export function assertNoOutage(results: ReadonlyArray<unknown>): void {
  const last = results.at(-1);
  if (isRejection(last) && isUnavailable(last.reason)) throw last.reason;
}
