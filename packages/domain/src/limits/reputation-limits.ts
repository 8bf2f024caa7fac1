/**
 * Limits on bounces and complaints. Gmail and Yahoo ask senders to stay below 0.1% complaints and never to reach 0.3%
 * (https://support.google.com/a/answer/81126, https://senders.yahooinc.com/best-practices/). No mailbox provider
 * publishes a limit on bounces. Amazon SES reviews accounts from 5% and recommends less than 2%
 * (https://docs.aws.amazon.com/ses/latest/dg/reputationdashboardmessages.html), and other services do much the same.
 */
export const reputationLimits = {
  bounceWarning: {
    max: 2,
    unit: 'percent',
    of: "bounces among a workspace's recipients of the last 7 days; from here on, its owners are warned",
  },
  bouncePause: {
    max: 5,
    unit: 'percent',
    of: "bounces among a workspace's recipients of the last 7 days; from here on, the workspace is paused",
  },
  complaintWarning: {
    max: 0.1,
    unit: 'percent',
    of: "complaints among a workspace's recipients of the last 7 days; from here on, its owners are warned",
  },
  complaintPause: {
    max: 0.3,
    unit: 'percent',
    of: "complaints among a workspace's recipients of the last 7 days; from here on, the workspace is paused",
  },
  pauseReason: { max: 500, unit: 'characters', of: 'the reason for which an operator pauses a workspace' },
  sendingStatsDays: { max: 60, unit: 'days', of: 'how long bounces and complaints are counted and listed' },
} as const;

/** With fewer recipients, one bounce would be a high rate. */
export const MIN_SENT_FOR_RATE = 100;

/** One complaint can be a mistake. */
export const MIN_COMPLAINTS_FOR_RATE = 2;
