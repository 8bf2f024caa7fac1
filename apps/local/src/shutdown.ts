/** The signals of Ctrl-C, `kill` and a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One Ctrl-C may arrive twice: from the terminal, and forwarded by npm. */
const REPEATED_SIGNAL_MS = 500;

export type Shutdown = {
  /** Adds a function to call at shutdown. The last one added is called first. */
  add(stop: () => Promise<void> | void): void;
  /** Stops everything and exits the process. */
  exit(exitCode: number): Promise<void>;
};

/** Shuts down on SIGINT, SIGTERM or SIGHUP. */
export function createShutdown(print: (line: string) => void): Shutdown {
  const stops: Array<() => Promise<void> | void> = [];
  let exiting: Promise<void> | null = null;
  let firstSignalAt = 0;

  async function stopAll(exitCode: number): Promise<void> {
    print('Stopping.');
    for (const stop of stops.reverse()) {
      await Promise.resolve(stop()).catch((error: Error) => print(error.message));
    }
    print('Stopped.');
    process.exit(exitCode);
  }

  const shutdown: Shutdown = {
    add: (stop) => stops.push(stop),
    exit(exitCode) {
      exiting ??= stopAll(exitCode);
      return exiting;
    },
  };

  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (firstSignalAt === 0) firstSignalAt = Date.now();
      // A second Ctrl-C exits at once. The child processes notice this and stop on their own.
      if (Date.now() - firstSignalAt > REPEATED_SIGNAL_MS) process.exit(1);
      void shutdown.exit(0);
    });
  }
  return shutdown;
}
