const KB = 1_000;
const MB = 1_000_000;

/** The limits on bounces, complaints and other mail that is received by SMTP. */
export const feedbackLimits = {
  reportBytes: {
    max: 35 * MB,
    unit: 'bytes',
    of: 'a report of a bounce or complaint, which may return a whole message',
  },
  storedReportBytes: {
    max: 256 * KB,
    unit: 'bytes',
    of: 'how much of a report is stored until it has been processed, and read',
  },
  shownReportBytes: { max: 20 * KB, unit: 'bytes', of: 'how much of a report is kept after that' },
  reportsOfEmail: {
    max: 20,
    unit: 'reports',
    of: 'one email, or two for each recipient, if that is more; a new one takes the place of one that changed nothing and is older than a minute, and senders repeat what is above that',
  },
  waitingReports: {
    max: 1_000,
    unit: 'reports',
    of: 'a workspace, and of mail to the service itself, that wait to be processed; senders repeat what is above that',
  },
  feedbackBody: { max: 10 * MB, unit: 'bytes', of: "a request with events of a relay's provider" },
  earlyEvents: {
    max: 5_000,
    unit: 'events',
    of: "a relay's provider that wait for up to an hour, because nothing is known yet about their email; others are dropped",
  },
  reportRecipients: { max: 20, unit: 'recipients', of: 'one message to the listener for bounces and complaints' },
  inboundClients: {
    max: 1_000,
    unit: 'simultaneous connections',
    of: 'the listener for bounces and complaints, per process',
  },
  inboundClientsPerNetwork: {
    max: 50,
    unit: 'simultaneous connections',
    of: 'one IP address (for IPv6, its /64 network) to the listener for bounces and complaints, per process',
  },
  inboundMessages: {
    max: 3_000,
    unit: 'messages per minute',
    of: 'one IP address (for IPv6, its /64 network) to the listener for bounces and complaints, per process',
  },
  inboundBytes: {
    max: 60 * MB,
    unit: 'bytes per minute',
    of: 'one IP address (for IPv6, its /64 network) to the listener for bounces and complaints, per process',
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
  reportDays: { max: 30, unit: 'days', of: 'how long reports are kept that changed something' },
  idleReportDays: {
    max: 1,
    unit: 'day',
    of: 'how long reports are kept that changed nothing, or only reported a delay',
  },
  operatorMails: {
    max: 1_000,
    unit: 'messages',
    of: 'mail to postmaster, abuse and fbl at the bounce hosts that is kept for the operator',
  },
  operatorMailBytes: { max: 64 * KB, unit: 'bytes', of: 'how much of each of them is kept' },
  operatorMailDays: { max: 7, unit: 'days', of: 'how long they are kept' },
} as const;
