/** A program to run. */
export type Command = {
  /** The name to use in messages. It stays the same if the program is started through a wrapper. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** The user and group to run as, on systems without a suitable setpriv. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  readonly cwd?: string;
  /** Variables that are added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Opens an IPC channel to a Node program. The channel closes when this process ends, which tells the program to stop.
   */
  readonly ipc?: boolean;
};
