import type { DataFolder } from './data-folder.js';
import type { Shutdown } from './shutdown.js';

/** What the functions that start the services get. */
export type StartOptions = {
  readonly folder: DataFolder;
  readonly shutdown: Shutdown;
  readonly print: (line: string) => void;
  /** Run the API and the worker from source and restart them on change. */
  readonly watch: boolean;
};
