/** Examples for routes that have no workspace. */
export const serviceExamples = {
  getUnsubscribePage: { request: null, response: '' },
  unsubscribe: { request: null, response: '' },
  getLiveness: { request: null, response: { status: 'ok' } },
  getReadiness: {
    request: null,
    response: {
      status: 'ready',
      postgres: { state: 'writable' },
      redis: { reachable: true, evicts: false, full: false },
    },
  },
  getMetrics: { request: null, response: '' },
} as const;
