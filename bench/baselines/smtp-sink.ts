import { startRawSmtpServer } from '@posthorn/testing';

/** The mail server of the tests. It accepts and forgets everything, and announces PIPELINING as Postfix does. */
const server = await startRawSmtpServer(
  (moment) => {
    if (moment === 'DOT') server.forget();
    return undefined;
  },
  ['PIPELINING'],
);
process.send?.(server.port);
process.once('disconnect', () => process.exit());
