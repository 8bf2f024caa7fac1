import { useSyncExternalStore } from 'react';

const REFRESH_MS = 60_000;

const listeners = new Set<() => void>();
let now = new Date();
let timer: number | undefined;

/**
 * The time when the component renders, which it does at least once a minute. All components share one timer. The time of
 * that timer would put what has just happened into the future.
 */
export function useNow(): Date {
  useSyncExternalStore(subscribe, () => now);
  return new Date();
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
