import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';

type Mode = 'session' | 'shared' | 'transaction' | 'statement';

/**
 * A small connection pooler. In the mode `session`, every client has a Postgres backend of its own. In the mode `shared`,
 * all clients use the same backend, as they do in PgBouncer's transaction mode without prepared statements. They take
 * turns: a client gets the backend once the previous one has got its whole reply. The mode `transaction` also keeps their
 * prepared statements apart, and the mode `statement` refuses transactions.
 */
export type Pooler = {
  /** Like the URL of the server, but through the pooler. */
  readonly url: string;
  /** Changes the mode for new clients. */
  setMode(mode: Mode): void;
  /** Gives no backend to clients in session mode after the first `max`. They get no reply. */
  setBackends(max: number): void;
  close(): Promise<void>;
};

const SSL_REQUEST_BYTES = 8;
/** AuthenticationOk, BackendKeyData with a made-up process id, and ReadyForQuery. */
const GREETING = Buffer.from('5200000008000000004b0000000c7ffffffe000000015a0000000549', 'hex');

type Backend = { readonly stream: Socket; send(client: Socket, request: Buffer): void };

/** The start of ReadyForQuery, which ends every reply. The state of the transaction follows. */
const READY = Buffer.from('5a00000005', 'hex');

export async function openPooler(serverUrl: string, initialMode: Mode): Promise<Pooler> {
  let mode = initialMode;
  let maxBackends = Number.POSITIVE_INFINITY;
  let inUse = 0;
  let shared: Promise<Backend> | null = null;
  const sockets = new Set<Socket>();

  async function openBackend(): Promise<Backend> {
    const client = new pg.Client(serverUrl);
    client.on('error', () => {});
    await client.connect();
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners('data');
    sockets.add(stream);
    return { stream, send: takeTurns(stream) };
  }

  function openSharedBackend(): Promise<Backend> {
    shared ??= openBackend();
    return shared;
  }

  async function serve(client: Socket): Promise<void> {
    sockets.add(client);
    client.on('error', () => {});
    const [startup] = (await once(client, 'data')) as [Buffer];
    const refused = /statement_timeout|options/.exec(startup.toString('latin1'));
    if (startup.length > SSL_REQUEST_BYTES && refused) {
      client.end(errorResponse('08P01', `unsupported startup parameter: ${refused[0]}`));
      return;
    }
    if (mode === 'session' && inUse >= maxBackends) {
      client.write(GREETING);
      return;
    }
    inUse += 1;
    const number = inUse;
    const modeOfClient = mode;
    const backend = await (mode === 'session' ? openBackend() : openSharedBackend());
    if (mode === 'session') client.on('close', () => backend.stream.destroy());
    client.on('data', (chunk) => {
      if (modeOfClient === 'transaction') markStatements(chunk, number);
      if (modeOfClient === 'statement' && /^Q....begin/s.test(chunk.toString('latin1')))
        client.end(errorResponse('08P01', 'transaction blocks not allowed in statement pooling mode'));
      else if (!isTermination(chunk)) backend.send(client, chunk);
    });
    client.write(GREETING);
  }

  const server = createServer((client) => void serve(client));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(serverUrl), { host: `127.0.0.1:${port}` }).href,
    setMode(next) {
      mode = next;
    },
    setBackends(max) {
      maxBackends = max;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** After an error, Postgres sends the end of its reply separately. Without turns, the next client could get it. */
function takeTurns(stream: Socket): Backend['send'] {
  let current: Socket | null = null;
  let end = Buffer.concat([READY, Buffer.from('I')]);
  const waiting: Array<[client: Socket, request: Buffer]> = [];
  const isFree = (client: Socket) => client === current || end.subarray(0, READY.length).equals(READY);
  const sendNext = () => {
    for (let [next] = waiting; next && isFree(next[0]); [next] = waiting) {
      waiting.shift();
      current = next[0];
      end = Buffer.alloc(0);
      stream.write(next[1]);
    }
  };
  stream.on('data', (reply) => {
    current?.write(reply);
    end = Buffer.concat([end, reply]).subarray(-READY.length - 1);
    sendNext();
  });
  return (client, request) => {
    waiting.push([client, request]);
    sendNext();
  };
}

/** Changes the first letter of the statements' names in Parse, Bind, Describe and Close. */
function markStatements(chunk: Buffer, client: number): void {
  for (let start = 0; start < chunk.length; start += 1 + chunk.readInt32BE(start + 1)) {
    const body = start + 5;
    const names: Record<string, number> = { P: body, B: chunk.indexOf(0, body) + 1, D: body + 1, C: body + 1 };
    const type = String.fromCharCode(chunk[start] ?? 0);
    const name = names[type];
    const isPortal = (type === 'D' || type === 'C') && chunk[body] !== 'S'.charCodeAt(0);
    if (name !== undefined && !isPortal && chunk[name] !== 0) chunk[name] = 'A'.charCodeAt(0) + client;
  }
}

function isTermination(chunk: Buffer): boolean {
  return chunk[0] === 'X'.charCodeAt(0);
}

function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
