/**
 * Workspaces whose transactions failed since the last success or pause, although the relay passed its checks. A
 * workspace that has not failed for `maxAgeMs` no longer counts.
 */
export type FailingWorkspaces = {
  add(workspaceId: string): void;
  count(): number;
  clear(): void;
};

export function openFailingWorkspaces(maxAgeMs: number): FailingWorkspaces {
  const failedAt = new Map<string, number>();
  return {
    add(workspaceId) {
      failedAt.set(workspaceId, performance.now());
    },
    count() {
      const oldest = performance.now() - maxAgeMs;
      for (const [workspaceId, at] of failedAt) if (at < oldest) failedAt.delete(workspaceId);
      return failedAt.size;
    },
    clear: () => failedAt.clear(),
  };
}
