import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/** A proxy between the service and one of its servers that can be made to fail. */
export type FaultyProxy = {
  readonly port: number;
  /** Breaks every connection and refuses new ones until `restore`. */
  cut(): void;
  /** Keeps the connections open but lets nothing through, new ones included, until `restore`. */
  pause(): void;
  /** Lets nothing through on the connections there are now, without closing them; new ones work. */
  freezeOpen(): void;
  /** Every piece, in both directions, arrives `ms` later. */
  delay(ms: number): void;
  /**
   * Waits for a request that matches, lets it reach the server, and breaks the connection in place of
   * the reply. @returns settles when that has happened
   */
  dropReplyTo(request: RegExp): Promise<void>;
  restore(): void;
  close(): Promise<void>;
};

type Link = { client: Socket; server: Socket; isFrozen: boolean; awaitsDrop: (() => void) | null };

type Trap = { request: RegExp; done: () => void };

export async function startFaultyProxy(target: () => number): Promise<FaultyProxy> {
  const links = new Set<Link>();
  let traps: Trap[] = [];
  let isCut = false;
  let isPaused = false;
  let delayMs = 0;

  const proxy = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const server = createConnection(target(), '127.0.0.1');
    const link: Link = { client, server, isFrozen: isPaused, awaitsDrop: null };
    links.add(link);
    if (isPaused) freeze(link);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('data', (piece) => pass(link, { piece, from: socket, to: other }));
      socket.on('close', () => {
        links.delete(link);
        if (!link.isFrozen) later(() => other.destroy());
      });
    }
  });

  function pass(link: Link, { piece, from, to }: { piece: Buffer; from: Socket; to: Socket }): void {
    if (from === link.client) spring(link, piece);
    else if (link.awaitsDrop !== null) {
      link.awaitsDrop();
      breakLink(link);
      return;
    }
    later(() => to.write(piece));
  }

  /** The request of a trap goes through; its reply will not. */
  function spring(link: Link, piece: Buffer): void {
    const trap = traps.find(({ request }) => request.test(piece.toString('latin1')));
    if (!trap) return;
    traps = traps.filter((other) => other !== trap);
    link.awaitsDrop = trap.done;
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
      for (const link of links) breakLink(link);
    },
    pause() {
      isPaused = true;
      for (const link of links) freeze(link);
    },
    freezeOpen() {
      for (const link of links) freeze(link);
    },
    delay(ms) {
      delayMs = ms;
    },
    dropReplyTo: (request) => new Promise((done) => traps.push({ request, done })),
    restore() {
      isCut = false;
      delayMs = 0;
      traps = [];
      if (!isPaused) return;
      isPaused = false;
      for (const link of links) thaw(link);
    },
    async close() {
      const closed = once(proxy.close(), 'close');
      for (const link of links) breakLink(link);
      await closed;
    },
  };
}

function freeze(link: Link): void {
  link.isFrozen = true;
  link.client.pause();
  link.server.pause();
}

function thaw(link: Link): void {
  link.isFrozen = false;
  link.client.resume();
  link.server.resume();
}

function breakLink({ client, server }: Link): void {
  client.destroy();
  server.destroy();
}
