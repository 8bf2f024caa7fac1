import type { SampleRequest } from '@posthorn/code-samples';

/**
 * The guide as data, so that /docs (HTML) and docs/*.md (Markdown) have the same text. Text can contain `code` in
 * backticks and [links](#section).
 */
export type Section = { readonly id: string; readonly title: string; readonly blocks: readonly Block[] };

/** A page of its own. Links such as [errors](#errors) lead to the guide. */
export type Article = {
  /** The last part of its path, and the name of its file in docs/. */
  readonly name: string;
  readonly title: string;
  readonly intro: string;
  readonly sections: readonly Section[];
};

export type Block =
  | { readonly paragraph: string }
  | { readonly list: readonly string[] }
  | { readonly code: string; readonly language: 'json' | 'sh' }
  | { readonly request: SampleRequest }
  /** The code that verifies a request to a webhook, in every language. */
  | { readonly sample: 'webhookVerification' }
  | { readonly head: readonly string[]; readonly rows: readonly Row[] };

/** A row with an `id` can be linked to. */
export type Row = { readonly id?: string; readonly cells: readonly string[] };
