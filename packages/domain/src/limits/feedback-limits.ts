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
  reportRecipients: { max: 20, unit: 'recipients', of: 'one message to the listener for bounces and complaints' },
  inboundClients: {
    max: 200,
    unit: 'simultaneous connections',
    of: 'the listener for bounces and complaints, per process',
  },
  inboundClientsPerAddress: {
    max: 50,
    unit: 'simultaneous connections',
    of: 'one IP address to the listener for bounces and complaints, per process',
  },
  inboundSessionMinutes: {
    max: 10,
    unit: 'minutes',
    of: 'one connection to the listener for bounces and complaints; a sender that needs longer connects again',
  },
  eventsBeforeDelays: {
    max: 1_000,
    unit: 'events',
    of: 'one email; from then on, reports of a delay add none',
  },
  reportDays: { max: 30, unit: 'days', of: 'how long reports are kept as they were received' },
} as const;
