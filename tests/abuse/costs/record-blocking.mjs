import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Preload this into the built API. It answers every message from the parent process with the longest time, in
 * milliseconds, for which the event loop has been blocked since the last message.
 */
const RESOLUTION_MS = 1;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

process.on('message', () => {
  process.send(Math.max(0, delays.max / 1e6 - RESOLUTION_MS));
  delays.reset();
});
