import { formatCount } from '@posthorn/platform/values';

const KB = 1_000;

export const DEFAULT_WEBHOOK_OVERLAP_SECONDS = 86_400;

/** Limits on webhooks. */
export const webhookLimits = {
  webhooks: { max: 50, unit: 'webhooks', of: 'a workspace, and as many for test mail' },
  webhookUrl: { max: 2_000, unit: 'characters', of: 'the URL of a webhook' },
  webhookDescription: { max: 500, unit: 'characters', of: 'the description of a webhook' },
  webhookSecrets: { max: 5, unit: 'secrets', of: 'a webhook, counting old ones that are still valid after a rotation' },
  webhookOverlapSeconds: {
    max: 604_800,
    unit: 'seconds',
    of: `how long the old secret of a webhook stays valid after a rotation; the default is ${formatCount(DEFAULT_WEBHOOK_OVERLAP_SECONDS)}`,
  },
  webhookSeconds: { max: 15, unit: 'seconds', of: 'one request to a webhook, until its response has been read' },
  webhookResponse: { max: 4 * KB, unit: 'bytes', of: "how much of a receiver's response is stored" },
  webhookRetryAfterSeconds: {
    max: 3_600,
    unit: 'seconds',
    of: 'how long a receiver can ask Posthorn to wait with Retry-After',
  },
  webhookFailingDays: {
    max: 5,
    unit: 'days',
    of: 'how long every request to a webhook may fail before the webhook is disabled',
  },
  webhookLogDays: { max: 30, unit: 'days', of: 'how long the deliveries of a webhook are kept' },
  /** Older deliveries could be deleted before their retry schedule ends, which takes up to 33 hours. */
  webhookEventDays: {
    max: 28,
    unit: 'days',
    of: 'how old an event can be to be replayed, or sent to a webhook that is enabled again',
  },
  replayedEvents: { max: 10_000, unit: 'events', of: 'one request to replay events' },
  scannedEvents: {
    max: 2_000,
    unit: 'events',
    of: 'how many events one page of GET /api/v1/events with type looks at',
  },
} as const;
