import { formatCount, limits, Refusal } from '@posthorn/domain';

const RETRY_AFTER_SECONDS = 10;

export type ExportSlots = {
  /**
   * @returns a function to call when the export has ended
   * @throws Refusal rate_limited if too many exports of this owner are running
   */
  begin(owner: string): () => void;
};

/** Bounds how many exports of one workspace run at the same time. Each holds a page and a client connection. */
export function exportSlots(): ExportSlots {
  const running = new Map<string, number>();
  return {
    begin(owner) {
      const count = running.get(owner) ?? 0;
      const { max, unit } = limits.exports;
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
