import { createServer } from 'node:net';

const HIGHEST_PORT = 65_535;
const MAX_STEPS = 100;
const MAX_TRIES = 3;

/**
 * A port that nobody listens on at this moment.
 * @param preferred taken if free, else the next free one above it; without it any port
 * @throws Error when the hundred ports from `preferred` on are all taken
 */
export async function freePort(preferred = 0, host = '127.0.0.1'): Promise<number> {
  const last = Math.min(preferred + MAX_STEPS, HIGHEST_PORT);
  for (let port = preferred; port <= last; port += 1) {
    const bound = await tryPort(preferred === 0 ? 0 : port, host);
    if (bound !== null) return bound;
  }
  throw new Error(`The ports from ${preferred} to ${last} are all taken; stop what uses them or ask for others.`);
}

type Wanted = { readonly name: string; readonly preferred: number | undefined; readonly log: (line: string) => void };

/**
 * Starts a server on a free port and says so when it is not the preferred one. Between our look at
 * the port and the server's somebody else may take it: then it is started again on another.
 */
export async function startOnFreePort<Server>(
  { name, preferred, log }: Wanted,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort(preferred);
    if (preferred && port !== preferred) log(`Port ${preferred} is taken: ${name} uses ${port}.`);
    try {
      return await start(port);
    } catch (error) {
      const isStillFree = (await freePort(port)) === port;
      if (isStillFree || tries === MAX_TRIES) throw error;
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
