import type { DataFolder } from './data-folder.js';
import type { Shutdown } from './shutdown.js';

/** What every part is started with. */
export type Start = {
  readonly folder: DataFolder;
  readonly shutdown: Shutdown;
  readonly tell: (line: string) => void;
  /** Run the API and the worker from their sources and reload them on change. */
  readonly watch: boolean;
};
