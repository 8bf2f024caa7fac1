import { useSyncExternalStore } from 'react';

const REFRESH_MS = 60_000;

const listeners = new Set<() => void>();
let now = new Date();
let timer: number | undefined;

/** The time, updated once a minute. All components share one timer. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = new Date();
    timer = window.setInterval(tick, REFRESH_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}

function tick(): void {
  now = new Date();
  for (const listener of listeners) listener();
}
