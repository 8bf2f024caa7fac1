import { QuoteType, Tokenizer } from 'htmlparser2';

/** The value of an `href`: its place in the html without the quotes, and the value after decoding its entities. */
export type FoundLink = { readonly start: number; readonly end: number; readonly value: string };

export type FoundPlaces = {
  /** The links that may be tracked, in the order of the html. Whether their URLs can be tracked is not decided yet. */
  readonly links: readonly FoundLink[];
  /** Where the body ends. */
  readonly endOfBody: number;
};

/** Keeps a link as it is. */
const NO_TRACK = 'data-no-track';

/** `start` is -1 if the value is empty or begins with an entity, whose place the tokenizer does not tell. */
type Attribute = { readonly name: string; start: number; end: number; value: string };

/**
 * Finds the values of `href` in `<a>` tags, and the end of the body. It reads tokens as a browser does, so it finds no
 * tags in comments, scripts and the values of attributes. A tag that does not end is not found.
 */
export function findPlaces(html: string): FoundPlaces {
  const links: FoundLink[] = [];
  let endOfBody = html.length;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ...ignoredTokens,
      ...tagReader(html, (tag, attributes) => {
        const href = tag === 'a' ? hrefOf(attributes) : null;
        if (href) links.push(href);
      }),
      onclosetag(start, end) {
        if (html.slice(start, end).toLowerCase() === 'body') endOfBody = html.lastIndexOf('</', start);
      },
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { links, endOfBody };
}

/** If an attribute occurs twice, the first one counts. */
function hrefOf(attributes: readonly Attribute[]): FoundLink | null {
  if (attributes.some(({ name }) => name === NO_TRACK)) return null;
  const href = attributes.find(({ name }) => name === 'href');
  return href && href.start !== -1 ? href : null;
}

type TokenizerCallbacks = ConstructorParameters<typeof Tokenizer>[1];

/** Collects the attributes of each start tag. @param onTag called at its end */
function tagReader(html: string, onTag: (tag: string, attributes: readonly Attribute[]) => void) {
  let tag = '';
  let attributes: Attribute[] = [];
  const end = () => {
    onTag(tag, attributes);
    attributes = [];
  };
  return {
    onopentagname(start, end) {
      tag = html.slice(start, end).toLowerCase();
      attributes = [];
    },
    onattribname(start, end) {
      attributes.push({ name: html.slice(start, end).toLowerCase(), start: -1, end: -1, value: '' });
    },
    onattribdata(start, end) {
      const attribute = attributes.at(-1);
      if (!attribute) return;
      if (attribute.value === '') attribute.start = start;
      attribute.value += html.slice(start, end);
    },
    onattribentity(codePoint) {
      const attribute = attributes.at(-1);
      if (attribute) attribute.value += String.fromCodePoint(codePoint);
    },
    onattribend(quote, end) {
      const attribute = attributes.at(-1);
      if (attribute) attribute.end = quote === QuoteType.Unquoted ? end : end - 1;
    },
    onopentagend: end,
    onselfclosingtag: end,
  } satisfies Partial<TokenizerCallbacks>;
}

const ignore = () => {};

const ignoredTokens = {
  oncdata: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onprocessinginstruction: ignore,
  ontext: ignore,
  ontextentity: ignore,
} satisfies Partial<TokenizerCallbacks>;
