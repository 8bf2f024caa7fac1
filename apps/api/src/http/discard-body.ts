import type { IncomingMessage } from 'node:http';
import type { FairQueue } from '@posthorn/domain/throttles';
import { MAX_SMALL_BODY_BYTES } from './body-budget.js';
import { getContentLength, hasBody } from './request-body.js';

/** Four times the default of MAX_BODY_BYTES. */
const MAX_DISCARDED_BYTES = 40_000_000;

const MAX_DISCARD_MS = 5_000;

/** Each waiting body takes up to 64 kB of memory. */
const MAX_WAITING_REQUESTS = 200;

const PAUSE_MS = 5;

/** Every refused body waits in the same line. */
const LINE = 'bodies';

/**
 * Reads what is left of a refused body and discards it. Most clients read the response only after they have sent the
 * whole body, and would see a broken connection (EPIPE) if we closed it earlier.
 * @param turns bounds how many bodies are read at a time
 * @returns false if the body is too large to discard, or too many are already waiting. The connection then has to be
 *   closed
 */
export function discardBody(turns: FairQueue, request: IncomingMessage): boolean {
  const declared = getContentLength(request);
  // Node itself discards the rest of small bodies.
  if (!hasBody(request) || (declared > 0 && declared <= MAX_SMALL_BODY_BYTES)) return true;
  if (declared > MAX_DISCARDED_BYTES || turns.waiting(LINE) >= MAX_WAITING_REQUESTS) return false;
  stopReading(request);
  void turns.begin(LINE).then((turn) => {
    if (request.socket.destroyed || request.complete) turn.end();
    else discard(request, () => turn.end());
  });
  return true;
}

/** Without this, Node would read and discard the rest itself, as fast as it arrives. */
function stopReading(request: IncomingMessage): void {
  request.unpipe();
  request.removeAllListeners('data');
  request.pause();
  // Discards what has arrived, and shows Node that the body is being read.
  request.read();
}

function discard(request: IncomingMessage, done: () => void): void {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), MAX_DISCARD_MS);
  // After a response is finished, Node emits no event on the request when the connection is lost.
  const end = () => {
    clearTimeout(timer);
    request.off('end', end);
    socket.off('close', end);
    done();
  };
  request.once('end', end);
  socket.once('close', end);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_DISCARDED_BYTES) socket.destroy();
    // At most about 50 MB a second in total. Reading as fast as clients can send would leave no time for other
    // requests.
    request.pause();
    setTimeout(() => request.resume(), PAUSE_MS);
  });
  request.resume();
}
