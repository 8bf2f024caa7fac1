import { Session } from 'node:inspector/promises';

/** Load this before a build. It records a CPU profile from the message `start` to the message `stop`, and replies with it. */
const INTERVAL_US = 500;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });

process.on('message', async (command) => {
  if (command === 'start') {
    await session.post('Profiler.start');
    process.send('started');
  }
  if (command === 'stop') process.send((await session.post('Profiler.stop')).profile);
});
