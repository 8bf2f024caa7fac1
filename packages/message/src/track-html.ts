import { type LoggedEmail, type StoredMessage, toLogFields } from '@posthorn/domain/emails';
import { limits } from '@posthorn/domain/limits';
import { createTrackingTokenMaker } from '@posthorn/domain/links';
import type { Context } from '@posthorn/platform';
import { parseUrl } from '@posthorn/platform/network';
import { QuoteType, Tokenizer } from 'htmlparser2';

/**
 * The html of an email with what reports opens and clicks, or the same html if the email reports nothing. It depends
 * only on the email, so every attempt sends the same. If it fails, the html stays as it is: mail that is not tracked is
 * better than none.
 */
export function trackHtml(
  { config, log }: Pick<Context, 'config' | 'log'>,
  email: LoggedEmail & Pick<StoredMessage, 'tracking'>,
  html: string,
): string {
  const { id, tracking } = email;
  if (!tracking) return html;
  const { opens, clicks, position, url: trackingUrl } = tracking;
  const makeToken = createTrackingTokenMaker(config);
  const toToken = (url: string | null) => makeToken({ emailId: id, position, url });
  try {
    return rewriteHtml(html, {
      imageUrl: opens ? `${trackingUrl}/o/${toToken(null)}` : null,
      replaceUrl: clicks ? (url) => `${trackingUrl}/c/${toToken(url)}` : null,
      ownUrl: `${config.publicUrl}/u/`,
    });
  } catch (error) {
    log.warn({ error, ...toLogFields(email) }, 'html_not_tracked');
    return html;
  }
}

export type Rewriting = {
  /** The URL of the image that reports opens; null for none. */
  readonly imageUrl: string | null;
  /** The URL that replaces the one of a link; null if links stay as they are. */
  readonly replaceUrl: ((url: string) => string) | null;
  /** Links to URLs that begin with this stay as they are, however they spell it. */
  readonly ownUrl: string;
};

/**
 * Adds the image, and replaces the URLs of links. Everything else stays as it is, character for character. The new
 * URLs must consist of characters that need no entities and no quotes.
 * @throws Error if there are too many links
 */
export function rewriteHtml(html: string, { imageUrl, replaceUrl, ownUrl }: Rewriting): string {
  const { links, endOfBody } = findPlaces(html);
  const edits: Array<{ start: number; end: number; text: string }> = [];
  if (replaceUrl) {
    const own = toPlainUrl(new URL(ownUrl));
    for (const { start, end, value } of links) {
      const url = trackableUrl(value, own);
      if (url !== null) edits.push({ start, end, text: replaceUrl(url) });
    }
    if (edits.length > limits.trackedLinks.max) throw new Error('There are too many links');
  }
  if (imageUrl !== null) edits.push({ start: endOfBody, end: endOfBody, text: imageTag(imageUrl) });
  return apply(html, edits);
}

/** The URL as a browser would request it, or null if clicks on it are not recorded. */
function trackableUrl(value: string, own: string): string | null {
  if (!/^\s*https?:/i.test(value)) return null;
  const url = parseUrl(value);
  if (url === null || url.href.length > limits.trackedUrlCharacters.max || toPlainUrl(url).startsWith(own)) return null;
  return url.href;
}

/** The host and the path, without what leads to the same page in another spelling. */
function toPlainUrl({ host, pathname }: URL): string {
  const plainHost = host.replace(/\.(?=:|$)/, '').replace(/:(?:80|443)$/, '');
  return plainHost + pathname.replace(/%[2-7][\da-f]/gi, decodeURIComponent).replace(/\/+/g, '/');
}

/** Not hidden, because mail clients do not load hidden images. The empty `alt` keeps screen readers silent. */
function imageTag(url: string): string {
  return `<img src="${url}" width="1" height="1" alt="" style="border:0">`;
}

function apply(html: string, edits: ReadonlyArray<{ start: number; end: number; text: string }>): string {
  let rewritten = '';
  let done = 0;
  for (const { start, end, text } of edits.toSorted((one, other) => one.start - other.start)) {
    rewritten += html.slice(done, start) + text;
    done = end;
  }
  return rewritten + html.slice(done);
}

/** The value of an `href`: its place in the html without the quotes, and the value after decoding its entities. */
type FoundLink = { readonly start: number; readonly end: number; readonly value: string };

type FoundPlaces = {
  /** The links that may be tracked, in the order of the html. Whether their URLs can be tracked is not decided yet. */
  readonly links: readonly FoundLink[];
  readonly endOfBody: number;
};

const isOn = (value: string) => value !== 'false';

/**
 * Attributes that keep a link as it is: ours, and those of other services, which people bring along in their templates.
 * Such a link may be one that resets a password.
 */
const NO_TRACK = new Map<string, (value: string) => boolean>([
  ['data-no-track', isOn],
  ['ses:no-track', isOn], // Amazon SES
  ['data-pm-no-track', isOn], // Postmark
  ['mc:disable-tracking', isOn], // Mailchimp Transactional
  ['disable-tracking', isOn], // Mailgun
  ['clicktracking', (value) => value === 'off'], // SendGrid
  ['data-msys-clicktrack', (value) => value === '0'], // SparkPost
]);

/** `start` is -1 if the value is empty or begins with an entity, whose place the tokenizer does not tell. */
type Attribute = { readonly name: string; start: number; end: number; value: string };

/**
 * Finds the values of `href` in `<a>` tags, and the end of the body. It reads tokens as a browser does, so it finds no
 * tags in comments, scripts and the values of attributes. A tag that does not end is not found.
 */
function findPlaces(html: string): FoundPlaces {
  const links: FoundLink[] = [];
  let endOfBody = html.length;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ...ignoredTokens,
      ...tagReader(html, (tag, attributes) => {
        const href = tag === 'a' ? findHref(attributes) : null;
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
function findHref(attributes: readonly Attribute[]): FoundLink | null {
  if (attributes.some(({ name, value }) => NO_TRACK.get(name)?.(value.trim().toLowerCase()))) return null;
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
