/** Signals that ask us to end: Ctrl-C, kill, and a terminal that was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One Ctrl-C may come twice: from the terminal and, passed on, from npm. */
const SAME_REQUEST_MS = 500;

export type Shutdown = {
  /** What is added later is stopped earlier. */
  add(stop: () => Promise<void> | void): void;
  /** Stops everything in order and ends the process. */
  end(exitCode: number): Promise<void>;
};

/** @param tell says that it begins and what went wrong on the way */
export function openShutdown(tell: (line: string) => void): Shutdown {
  const stops: Array<() => Promise<void> | void> = [];
  let ending: Promise<void> | null = null;
  let askedAt = 0;

  async function stopAll(exitCode: number): Promise<void> {
    tell('Stopping.');
    for (const stop of stops.reverse()) {
      await Promise.resolve(stop()).catch((error: Error) => tell(error.message));
    }
    tell('Stopped.');
    process.exit(exitCode);
  }

  const shutdown: Shutdown = {
    add: (stop) => stops.push(stop),
    end(exitCode) {
      ending ??= stopAll(exitCode);
      return ending;
    },
  };

  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (askedAt === 0) askedAt = Date.now();
      // A second Ctrl-C does not wait; the children notice that we are gone and stop by themselves.
      if (Date.now() - askedAt > SAME_REQUEST_MS) process.exit(1);
      void shutdown.end(0);
    });
  }
  return shutdown;
}
