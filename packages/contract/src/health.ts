export type Liveness = { status: 'ok' };

/** Whether to send requests to this process. With `unavailable` and `stopping`, the status of the response is 503. */
export type Readiness = {
  status: 'ready' | 'unavailable' | 'stopping';
  postgres: { state: 'writable' | 'read_only' | 'standby_lost' | 'unreachable' };
  /** `evicts`: Redis may drop keys when it runs out of memory. `full`: Redis has reached its memory limit. */
  redis: { reachable: boolean; evicts?: boolean; full?: boolean };
};
