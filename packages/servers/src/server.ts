/** What every server here is started with. */
export type ServerOptions = {
  /** Holds the data, the password and the log; made when missing. */
  readonly dataDir: string;
  /** Preferred port; the next free one is used when it is taken. */
  readonly port?: number;
  readonly log?: (line: string) => void;
};

/** A server that we started, on 127.0.0.1. */
export type Server = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when the server has ended, whatever the reason. */
  readonly ended: Promise<void>;
  /** In good order: clients are disconnected, what is to be kept is on disk. */
  stop(): Promise<void>;
};
