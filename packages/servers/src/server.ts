/** Options that all servers have in common. */
export type ServerOptions = {
  /** The folder for the data, the password and the log. It is created if it does not exist. */
  readonly dataDir: string;
  /** The preferred port. If it is in use, the next free port is used. */
  readonly port?: number;
  readonly log?: (line: string) => void;
};

/** A server that is running on 127.0.0.1. */
export type Server = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Shuts down cleanly: disconnects the clients and writes the data to disk. */
  stop(): Promise<void>;
};
