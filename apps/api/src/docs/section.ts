/**
 * The guide as data, so that /docs (HTML) and docs/*.md (Markdown) say the same. Text may hold
 * `code` in back quotes and [links](#section).
 */
export type Section = { readonly id: string; readonly title: string; readonly blocks: readonly Block[] };

export type Block =
  | { readonly paragraph: string }
  | { readonly list: readonly string[] }
  | { readonly code: string }
  | { readonly head: readonly string[]; readonly rows: readonly Row[] };

/** `id` makes the row a place that links can point to. */
export type Row = { readonly id?: string; readonly cells: readonly string[] };
