/** Declarations of CSS by property. A later one counts, unless only the earlier one is important. */
type Style = Map<string, { readonly value: string; readonly isImportant: boolean }>;

/** The styles of classes and ids by their selectors, such as `.preheader` or `td#top`. */
type Rules = ReadonlyMap<string, Style>;

const isZero = (value: string) => /^(?:0+\.?|0*\.0+)(?:%|[a-z]+)?$/.test(value);
const isTiny = (value: string) => isZero(value) || /^1(?:\.0*)?px$/.test(value);
const isFarAway = (value: string) => /^-\d{3,}(?:\.\d*)?(?:px|pt|r?em)$/.test(value);

/** Properties that hide an element if all of them have such values. */
type Hiding = Readonly<Record<string, (value: string) => boolean>>;

/**
 * What hides an element from readers, such as the preheader that only lists of messages show. `font-size:0` alone is not
 * here, because layouts set it around text with a size of its own, nor is `mso-hide:all` alone, which hides from Outlook
 * alone.
 */
const HIDING: readonly Hiding[] = [
  { display: (value) => value === 'none' },
  { visibility: (value) => value === 'hidden' },
  { 'max-height': isZero },
  { 'max-width': isZero },
  { opacity: isZero },
  ...['height', 'width'].map((size) => ({ [size]: isZero, overflow: (value: string) => value === 'hidden' })),
  { 'mso-hide': (value) => value === 'all', 'font-size': isTiny },
  ...['left', 'right', 'top', 'bottom'].map((side) => ({
    position: (value: string) => /^(?:absolute|fixed)$/.test(value),
    [side]: isFarAway,
  })),
  { 'text-indent': isFarAway },
];

const PROPERTIES = new Set(['font-size', ...HIDING.flatMap((hiding) => Object.keys(hiding))]);

const START_TAG = /<[a-z](?:[^<>"']|"[^"]*"|'[^']*')*/gi;
const TAG_NAME = /^<[a-z][^\s/]*/i;
const STYLE = attributePattern('style');
const CLASS = attributePattern('class');
const ID = attributePattern('id');
/** The end of a start tag, and an element that has nothing but text. */
const ONLY_TEXT = />[^<]*<\//y;

function attributePattern(name: string): RegExp {
  return new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
}

function readAttribute(tag: string, pattern: RegExp): string {
  const [, double = '', single = '', bare = ''] = pattern.exec(tag) ?? [];
  return double + single + bare;
}

/** Marks elements as hidden whose style hides them, because selectors cannot read the declarations of a style. */
export function markHidden(html: string): string {
  const rules = readStyleElements(html);
  return html.replace(START_TAG, (tag, at: number) => {
    const style = computeStyle(tag, rules);
    if (style.size === 0) return tag;
    const isHidden = HIDING.some((hiding) =>
      Object.entries(hiding).every(([name, hides]) => hides(style.get(name)?.value ?? '')),
    );
    return isHidden || (isZero(style.get('font-size')?.value ?? '') && hasOnlyText(html, at + tag.length))
      ? tag.replace(TAG_NAME, '$& hidden')
      : tag;
  });
}

function hasOnlyText(html: string, endOfTag: number): boolean {
  ONLY_TEXT.lastIndex = endOfTag;
  return ONLY_TEXT.test(html);
}

function computeStyle(tag: string, rules: Rules): Style {
  const style: Style = new Map();
  if (rules.size > 0) {
    const element = TAG_NAME.exec(tag)?.[0].slice(1).toLowerCase() ?? '';
    const classes = readAttribute(tag, CLASS).split(/\s+/);
    for (const name of [...classes.map((name) => `.${name}`), `#${readAttribute(tag, ID)}`])
      for (const selector of [name, `${element}${name}`]) addStyle(style, rules.get(selector));
  }
  addStyle(style, parseStyle(readAttribute(tag, STYLE)));
  return style;
}

function addStyle(style: Style, added: Style = new Map()): void {
  for (const [name, declaration] of added)
    if (declaration.isImportant || !style.get(name)?.isImportant) style.set(name, declaration);
}

function parseStyle(text: string): Style {
  const style: Style = new Map();
  for (const declaration of text.toLowerCase().split(';')) {
    const [name = '', value = ''] = declaration.split(':').map((part) => part.trim());
    const plain = value.replace(/!\s*important/, '');
    const parsed = { value: plain.trim(), isImportant: plain !== value };
    if (PROPERTIES.has(name)) addStyle(style, new Map([[name, parsed]]));
  }
  return style;
}

/** Styles in comments are for Outlook alone. An element or comment without an end reaches to the end of the text. */
const STYLE_ELEMENT = /<!--(?:[\s\S]*?-->|[\s\S]*)|<style\b([^<>]*)>([\s\S]*?)(?:<\/style|$)/gi;
const OTHER_MEDIA = /\smedia\s*=\s*["']?\s*(?!all\b|screen\s*(?:["'>]|$))/i;
/** Rules for print or for small screens, for example. */
const AT_RULE = /@[^{};@]*(?:\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|;)/g;
const COMMENT = /\/\*(?:[\s\S]*?\*\/|[\s\S]*)|<!--|-->/g;
const SIMPLE_SELECTOR = /^\s*([a-z][a-z0-9]*)?([.#][\w-]+)\s*$/i;
/** The rest is not read. Gmail reads 16,384 characters. */
const MAX_STYLE_CHARACTERS = 100_000;

/** Rules whose selectors need more than one element are left out. */
function readStyleElements(html: string): Rules {
  const rules = new Map<string, Style>();
  const styles = [...html.matchAll(STYLE_ELEMENT)].filter(([, attributes]) => !OTHER_MEDIA.test(attributes ?? ''));
  const css = styles.map(([, , text = '']) => text).join('\n');
  const plain = css.slice(0, MAX_STYLE_CHARACTERS).replace(COMMENT, '').replace(AT_RULE, '');
  for (const rule of plain.split('}')) {
    const [selectors = '', declarations = '', ...nested] = rule.split('{');
    if (nested.length > 0) continue;
    const style = parseStyle(declarations);
    for (const selector of selectors.split(',')) {
      const [, element = '', name] = SIMPLE_SELECTOR.exec(selector) ?? [];
      if (name === undefined) continue;
      const key = `${element.toLowerCase()}${name}`;
      const known = rules.get(key) ?? new Map();
      addStyle(known, style);
      rules.set(key, known);
    }
  }
  return rules;
}
