/** A bounded cache whose entries expire. When it is full, the entry that was set first makes room. */
export type ExpiringCache<Value> = {
  find(key: string): Value | undefined;
  /** @param until when the entry expires, on the clock that the cache was created with */
  set(key: string, value: Value, until: number): void;
  delete(key: string): void;
  readonly size: number;
};

/** @param now in milliseconds */
export function createExpiringCache<Value>(maxEntries: number, now: () => number): ExpiringCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    find(key) {
      const entry = entries.get(key);
      if (entry === undefined || entry.until > now()) return entry?.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value, until) {
      entries.delete(key);
      if (until <= now()) return;
      const [oldest] = entries.keys();
      if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest);
      entries.set(key, { value, until });
    },
    delete: (key) => void entries.delete(key),
    get size() {
      return entries.size;
    },
  };
}
