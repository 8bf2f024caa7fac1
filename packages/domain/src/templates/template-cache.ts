import type { TemplateVersion } from './template.js';

const MAX_CACHED_VERSIONS = 1_000;
const MAX_BYTES = 64_000_000;

/** Versions never change, so an entry never becomes stale. */
export type TemplateCache = {
  get(workspaceId: string, id: string, version: number): TemplateVersion | undefined;
  /** @param bytes the total size of the template's three parts and its variables */
  put(workspaceId: string, template: TemplateVersion, bytes: number): void;
};

/** Caches parsed versions, and drops the least recently used ones first. */
export function templateCache({ maxEntries = MAX_CACHED_VERSIONS, maxBytes = MAX_BYTES } = {}): TemplateCache {
  // A Map keeps insertion order. An entry is inserted again when it is used, so the first is the least recently used.
  const entries = new Map<string, { template: TemplateVersion; bytes: number }>();
  let total = 0;

  function remove(key: string): void {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  return {
    get(workspaceId, id, version) {
      const key = keyOf(workspaceId, id, version);
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.template;
    },
    put(workspaceId, template, bytes) {
      const key = keyOf(workspaceId, template.id, template.version);
      remove(key);
      entries.set(key, { template, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && total <= maxBytes) return;
        remove(oldest);
      }
    },
  };
}

function keyOf(workspaceId: string, id: string, version: number): string {
  return `${workspaceId} ${id} ${version}`;
}
