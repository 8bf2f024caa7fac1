import { parseHtml } from './parse-html';

/** Gmail cuts off the rest of a message after this much HTML. */
const MAX_HTML_BYTES = 102_000;
/** HTML with images and less text than this looks like one large image. */
const MIN_TEXT_CHARACTERS = 100;
const MAX_SUBJECT_CHARACTERS = 70;

export type HintedMessage = {
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
};

/** What spam filters and mail programs may dislike about a message. */
export function listHints({ subject, html, text }: HintedMessage): string[] {
  return [...listSubjectHints(subject ?? ''), ...(text ? [] : [NO_TEXT]), ...(html ? listHtmlHints(html) : [])];
}

const NO_TEXT =
  'It has no plain text. Add a text part: some people read only that, and some filters distrust mail without it.';

function listSubjectHints(subject: string): string[] {
  const letters = subject.replaceAll(/[^\p{L}]/gu, '');
  const shouts = letters.length > 8 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
  return [
    ...(shouts ? ['The subject is all in capitals, which many filters take as a sign of spam.'] : []),
    ...(subject.length > MAX_SUBJECT_CHARACTERS
      ? [`The subject is ${subject.length} characters long. Most mail programs show about ${MAX_SUBJECT_CHARACTERS}.`]
      : []),
  ];
}

function listHtmlHints(html: string): string[] {
  const page = parseHtml(html);
  const images = [...page.querySelectorAll('img')];
  const undescribed = images.filter((image) => !image.hasAttribute('alt')).length;
  const insecure = [...page.querySelectorAll('a[href^="http:"], img[src^="http:"]')].length;
  const words = getText(page);
  return [
    ...(images.length > 0 && words.length < MIN_TEXT_CHARACTERS
      ? ['It is mostly images. Put what matters in text, because many people and filters do not see images.']
      : []),
    ...(undescribed > 0
      ? [`${formatCount(undescribed, 'image')} without alt text for people who cannot see images.`]
      : []),
    ...(insecure > 0
      ? [`${formatCount(insecure, 'link or image', 'links or images')} with http: instead of https:.`]
      : []),
    ...(page.querySelector('script, form, iframe, object, embed')
      ? ['It has a script, form or frame. Mail programs remove these, and filters distrust them.']
      : []),
    ...(new Blob([html]).size > MAX_HTML_BYTES
      ? ['The HTML is larger than 102 kB, so Gmail will cut off the end.']
      : []),
  ];
}

/** Without the text of style sheets and the like. */
function getText(page: DocumentFragment): string {
  const copy = page.cloneNode(true) as DocumentFragment;
  for (const element of copy.querySelectorAll('style, script, title')) element.remove();
  return (copy.textContent ?? '').trim();
}

function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
