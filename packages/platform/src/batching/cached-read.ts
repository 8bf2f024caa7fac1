/**
 * Lets callers share one `read` while it runs and for `ms` milliseconds after it ends. Errors are shared too, so that a
 * server that is down is not asked more often than one that works.
 */
export function createCachedRead<Result>(read: () => Promise<Result>, ms: number): () => Promise<Result> {
  let latest: Promise<Result> | null = null;
  let freshUntil = 0;
  return () => {
    if (latest !== null && performance.now() < freshUntil) return latest;
    freshUntil = Number.POSITIVE_INFINITY;
    latest = read().finally(() => {
      freshUntil = performance.now() + ms;
    });
    return latest;
  };
}
