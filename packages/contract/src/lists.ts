/** A page of a list, newest first. */
export type List<Item> = {
  object: 'list';
  data: Item[];
  has_more: boolean;
  /** Give it as `after` (as `before`, when that was given) to get the next page; null on the last. */
  next_cursor: string | null;
};

export type Deleted<Name extends string> = { object: Name; id: string; deleted: true };
