/** One page of a list, newest first unless the operation says otherwise. */
export type List<Item> = {
  object: 'list';
  data: Item[];
  has_more: boolean;
  /** Pass it as `after` to get the next page, or as `before` if you used `before`. null on the last page. */
  next_cursor: string | null;
};

export type Deleted<Name extends string> = { object: Name; id: string; deleted: true };
