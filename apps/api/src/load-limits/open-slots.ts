import { Refusal } from '@posthorn/domain/errors';
import { formatCount } from '@posthorn/platform/values';

const RETRY_AFTER_SECONDS = 10;

export type Slots = {
  /**
   * @returns a function to call when the work has ended
   * @throws Refusal rate_limited if this owner has no slot left
   */
  begin(owner: string): () => void;
};

/**
 * Bounds how many responses of one kind are streamed to one owner, such as a workspace, at the same time. A client can
 * read them as slowly as it likes, so others are refused and do not wait.
 */
export function openSlots({ max, unit }: { readonly max: number; readonly unit: string }): Slots {
  const running = new Map<string, number>();
  return {
    begin(owner) {
      const count = running.get(owner) ?? 0;
      if (count >= max)
        throw new Refusal('rate_limited', {
          limit: `${formatCount(max)} ${unit}`,
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      running.set(owner, count + 1);
      return () => {
        const left = (running.get(owner) ?? 1) - 1;
        if (left === 0) running.delete(owner);
        else running.set(owner, left);
      };
    },
  };
}
