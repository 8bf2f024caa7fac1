/**
 * How Node is started for an app in production. A worker makes many short-lived objects per email and event. With more
 * room for them (V8's default is 16 MB), garbage collection takes less time, for about 40 MB of memory.
 */
export const nodeArgs = { api: [], worker: ['--max-semi-space-size=32'], inbound: [], tracking: [] } as const;
