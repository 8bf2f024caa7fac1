import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/** A TCP proxy that connects the service to one of its servers, and can be made to fail. */
export type FaultyProxy = {
  readonly port: number;
  /** Drops all connections, including new ones, until `restore`. */
  cut(): void;
  /** Keeps all connections open, including new ones, but forwards nothing until `restore`. */
  pause(): void;
  /** Stops forwarding data on the current connections, without closing them. New connections work. */
  freezeOpen(): void;
  /** Delays all data in both directions by `ms`. */
  delay(ms: number): void;
  /**
   * Forwards the next matching request to the server, and drops the connection instead of returning the reply. Resolves
   * when that has happened.
   */
  dropReplyTo(request: RegExp): Promise<void>;
  restore(): void;
  close(): Promise<void>;
};

type Connection = {
  client: Socket;
  server: Socket;
  isFrozen: boolean;
  /** Set once the request whose reply will be dropped has been forwarded. */
  onReplyDropped: (() => void) | null;
};

type ReplyDrop = { request: RegExp; done: () => void };

export async function startFaultyProxy(target: () => number): Promise<FaultyProxy> {
  const connections = new Set<Connection>();
  let replyDrops: ReplyDrop[] = [];
  let isCut = false;
  let isPaused = false;
  let delayMs = 0;

  const proxy = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const server = createConnection(target(), '127.0.0.1');
    const connection: Connection = { client, server, isFrozen: isPaused, onReplyDropped: null };
    connections.add(connection);
    if (isPaused) freeze(connection);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('data', (chunk) => pass(connection, { chunk, from: socket, to: other }));
      socket.on('close', () => {
        connections.delete(connection);
        if (!connection.isFrozen) later(() => other.destroy());
      });
    }
  });

  function pass(connection: Connection, { chunk, from, to }: { chunk: Buffer; from: Socket; to: Socket }): void {
    if (from === connection.client) matchReplyDrop(connection, chunk);
    else if (connection.onReplyDropped !== null) {
      connection.onReplyDropped();
      dropConnection(connection);
      return;
    }
    later(() => to.write(chunk));
  }

  function matchReplyDrop(connection: Connection, chunk: Buffer): void {
    const matching = replyDrops.find(({ request }) => request.test(chunk.toString('latin1')));
    if (!matching) return;
    replyDrops = replyDrops.filter((other) => other !== matching);
    connection.onReplyDropped = matching.done;
  }

  function later(act: () => void): void {
    if (delayMs === 0) act();
    else setTimeout(act, delayMs);
  }

  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const connection of connections) dropConnection(connection);
    },
    pause() {
      isPaused = true;
      for (const connection of connections) freeze(connection);
    },
    freezeOpen() {
      for (const connection of connections) freeze(connection);
    },
    delay(ms) {
      delayMs = ms;
    },
    dropReplyTo: (request) => new Promise((done) => replyDrops.push({ request, done })),
    restore() {
      isCut = false;
      delayMs = 0;
      replyDrops = [];
      if (!isPaused) return;
      isPaused = false;
      for (const connection of connections) thaw(connection);
    },
    async close() {
      const closed = once(proxy.close(), 'close');
      for (const connection of connections) dropConnection(connection);
      await closed;
    },
  };
}

function freeze(connection: Connection): void {
  connection.isFrozen = true;
  connection.client.pause();
  connection.server.pause();
}

function thaw(connection: Connection): void {
  connection.isFrozen = false;
  connection.client.resume();
  connection.server.resume();
}

function dropConnection({ client, server }: Connection): void {
  client.destroy();
  server.destroy();
}
