import { startRawSmtpServer } from '@posthorn/testing';

/** The mail server of the tests by itself: takes everything and forgets it. It pipelines, as Postfix' does. */
const server = await startRawSmtpServer(
  (moment) => {
    if (moment === 'DOT') server.forget();
    return undefined;
  },
  ['PIPELINING'],
);
process.send?.(server.port);
process.once('disconnect', () => process.exit());
