import type { FeedbackRequest } from '../../src/providers/index.js';

export const NOW = new Date('2026-11-28T09:00:10Z');
export const NOW_SECONDS = String(NOW.getTime() / 1_000);

/** A request without anything that proves where it comes from. */
export function toRequest(request: Partial<FeedbackRequest> = {}): FeedbackRequest {
  return {
    headers: {},
    rawBody: Buffer.from('[]'),
    secrets: [],
    now: NOW,
    pinnedTopic: null,
    fetchCertificate: () => Promise.reject(new Error('Nothing needs a certificate here.')),
    ...request,
  };
}

export function secondsAgo(seconds: number): string {
  return String(Number(NOW_SECONDS) - seconds);
}

export const HOUR_SECONDS = 3_600;
export const EVENTS = { result: 'events', token: null };
export const FORGED = expect.objectContaining({ result: 'refused', status: 401, reason: 'forged' });
export const TOO_OLD = expect.objectContaining({ result: 'refused', status: 401, reason: 'too_old' });
