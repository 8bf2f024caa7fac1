import type { DataFolder } from './data-folder.js';
import type { Shutdown } from './shutdown.js';

/** Options of the functions that start the services. */
export type StartOptions = {
  readonly folder: DataFolder;
  readonly shutdown: Shutdown;
  readonly print: (line: string) => void;
  /** Run the API and the worker from source and restart them on change. */
  readonly watch: boolean;
};
