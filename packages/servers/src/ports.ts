import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

const MAX_PORT = 65_535;
const MAX_PORT_STEPS = 100;
const MAX_START_ATTEMPTS = 3;

/** Below the ports that systems give to outgoing connections, which could take a port before its server listens. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_767];

/** Ports that this process has chosen. None is chosen twice, because the first caller may not be listening yet. */
const chosenPorts = new Set<number>();

/**
 * Finds a port that is free at the moment.
 * @param preferred the first port to try, before the ones above it; 0 means any from 20,000 to 32,767
 * @throws Error if `preferred` and the 100 ports above it are all in use
 */
export async function findFreePort(preferred = 0, host = '127.0.0.1'): Promise<number> {
  if (preferred === 0) return findAnyFreePort(host);
  const last = Math.min(preferred + MAX_PORT_STEPS, MAX_PORT);
  for (let port = preferred; port <= last; port += 1) {
    if ((await tryPort(port, host)) !== null) return port;
  }
  throw new Error(`All ports from ${preferred} to ${last} are in use. Free one of them, or choose another port.`);
}

async function findAnyFreePort(host: string): Promise<number> {
  for (let tries = 0; tries <= LAST_PORT - FIRST_PORT; tries += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (chosenPorts.has(port) || (await tryPort(port, host)) === null) continue;
    chosenPorts.add(port);
    return port;
  }
  throw new Error(`No port of ${host} from ${FIRST_PORT} to ${LAST_PORT} is free.`);
}

type PortOptions = {
  readonly name: string;
  readonly preferred: number | undefined;
  readonly log: (line: string) => void;
};

/**
 * Starts a server on a free port, and logs a line if that is not the preferred one. If another program takes the port
 * before the server does, the server is started again on a different port.
 */
export async function startOnFreePort<Server>(
  { name, preferred, log }: PortOptions,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort(preferred);
    if (preferred && port !== preferred) log(`Port ${preferred} is in use, so ${name} uses ${port}.`);
    try {
      return await start(port);
    } catch (error) {
      const isStillFree = (await findFreePort(port)) === port;
      if (isStillFree || attempt === MAX_START_ATTEMPTS) throw error;
    }
  }
}

function tryPort(port: number, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });
}

const PROBE_TIMEOUT_MS = 1_000;

/**
 * Sends a request to a local port and reads until the reply is complete.
 * @returns what was received, or an empty string if no server listens on the port
 */
export function probePort(
  port: number,
  request: string | Buffer,
  isComplete: (reply: string) => boolean,
): Promise<string> {
  return new Promise((resolve) => {
    let reply = '';
    const socket = connect({ port, host: '127.0.0.1', timeout: PROBE_TIMEOUT_MS }, () => socket.write(request));
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1');
      if (isComplete(reply)) socket.destroy();
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(reply));
  });
}
