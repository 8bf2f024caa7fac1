/** The limits that `parseJson` enforces. */
export type JsonLimits = {
  readonly maxDepth: number;
  readonly maxValues: number;
  /** The number of fields in one object. */
  readonly maxFields: number;
  /** Usually, most of these characters are white space. */
  readonly maxCharactersOutsideStrings: number;
};
