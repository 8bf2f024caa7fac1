/** One part of the packaging, tried with the real program. */
export type Check = {
  readonly id: string;
  /** What holds if it passes. */
  readonly title: string;
  /** @returns what it found out, in a few words @throws Error that says what does not hold */
  run(): Promise<string>;
};
