/** What `parseJson` refuses to parse. */
export type JsonLimits = {
  readonly maxDepth: number;
  readonly maxValues: number;
  /** The fields of one object. */
  readonly maxFields: number;
  /** Most of these characters are white space. */
  readonly maxCharactersOutsideStrings: number;
};
