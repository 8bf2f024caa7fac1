/** What `parseJson` refuses to parse. */
export type JsonLimits = {
  readonly maxDepth: number;
  readonly maxValues: number;
  /** Of one object. */
  readonly maxFields: number;
  /** Of the characters outside strings, which are mostly white space. */
  readonly maxCharactersOutsideStrings: number;
};
