const KB = 1_000;
const MB = 1_000_000;

/** Limits on bounces and complaints that are received by SMTP. */
export const feedbackLimits = {
  reportBytes: {
    max: 35 * MB,
    unit: 'bytes',
    of: 'a report of a bounce or complaint, which may return a whole message',
  },
  storedReportBytes: { max: 256 * KB, unit: 'bytes', of: 'how much of a report is stored and read' },
  shownReportBytes: { max: 20 * KB, unit: 'bytes', of: 'how much of a report the API returns' },
  reportRecipients: { max: 20, unit: 'recipients', of: 'one report' },
  inboundClients: {
    max: 200,
    unit: 'simultaneous connections',
    of: 'the listener for bounces and complaints, per process',
  },
  reportDays: { max: 30, unit: 'days', of: 'how long reports are kept as they were received' },
} as const;
