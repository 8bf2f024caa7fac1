/** Limits on opens and clicks. */
export const trackingLimits = {
  trackedUrlCharacters: {
    max: 2_000,
    unit: 'characters',
    of: 'a link whose clicks are recorded; longer links stay as they are',
  },
  trackedLinks: { max: 1_000, unit: 'links', of: 'one email whose clicks are recorded; if there are more, none is' },
  trackedEvents: { max: 1_000, unit: 'opens and clicks', of: 'one email; later ones are not recorded' },
  openRepeatMinutes: { max: 60, unit: 'minutes', of: 'how long another open by the same recipient is not recorded' },
  clickRepeatSeconds: { max: 60, unit: 'seconds', of: 'how long another click on the same link is not recorded' },
  waitingHits: { max: 10_000, unit: 'opens and clicks', of: 'what a tracking listener keeps while Postgres is down' },
} as const;
