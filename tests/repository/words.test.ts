import { filesIn, read } from './files.js';

/** Words that the field does not use, or that no engineer would say aloud, and what to write instead. */
const OLD_WORDS: ReadonlyArray<readonly [word: RegExp, instead: string]> = [
  [/\bbells?\b/i, 'delivery job'],
  [/\bgates?\b/i, 'admission check'],
  [/\bledgers?\b/i, 'group commit, accept transaction'],
  [/\bfates?\b/i, 'recipient result'],
  [/\bhandovers?\b/i, 'handoff marker; "hand over" as a verb'],
  [/\bstanding\b/i, 'verification status'],
  [/(?<!of )\bcourses?\b/i, 'transaction progress'],
  [/\btoAll\b|ToAll\b/, 'replyForAll'],
  [/\bpatience\b/i, 'timeouts'],
  [/\bdoors?\b/i, 'auth layout; entry point'],
  [/\btwins?\b/i, 'second instance'],
  [/\bblows?\b/i, 'injected fault'],
  [/\b(MOST|LONGEST|HEAVIEST)_[A-Z]/, 'MAX_... with the unit'],
  [/\bjudg(e|es|ed|ing|e?ments?)\b/i, 'evaluate, classify, check'],
  [/\bvouch(ed|es)?\b/i, 'verified by the operator'],
  [/\b(whoever|whereto|thereof|hereof|midst|anew|shall)\b/i, 'plain English'],
  [/what became of/i, 'what happened to, the state of'],
  [/\bis to be had\b/i, 'is available'],
  [/\b(rings?|ringing|rang|rung)\b/i, 'add a delivery job'],
  [/\bbent\b/i, 'changed, broken, wrong'],
  [/\b(stands?|stood)[ -]in\b/i, 'replaces, is a fake of'],
  [/\bhad of\b/i, 'got from'],
  [/\bthat which\b/i, 'what, the one that'],
  [/\bjust now\b/i, 'the time, or nothing'],
  [/\b(black|white)[ -]?list(s|ed|ing)?\b/i, 'blocklist, allowlist'],
  [/\bverdicts?\b/i, 'result, evaluation, finding'],
];

/** Files that we did not write, that contain measurements, or that are local to one machine. */
const NOT_OURS = /^(LICENSE|package-lock\.json|\.env|.*\.(log|tsbuildinfo)|bench\/documented\/.*|bench\/results\/.*)$/;
const OWN_LIST = 'tests/repository/words.test.ts';
const paths = filesIn('.').filter((path) => path !== OWN_LIST && !NOT_OURS.test(path));

type Line = { readonly place: string; readonly text: string; readonly words: string };

/** `openBell`, `BELL_ERROR` and `bell-error` as separate words. */
function splitNames(text: string): string {
  return text
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)/g, ' ')
    .replace(/(?<=\w)[_-]+(?=\w)|(?<!\w)_+|_+(?!\w)/g, ' ');
}

const toLine = (place: string, text: string): Line => ({ place, text, words: splitNames(text) });
const documents = paths.map((path) => ({ path, content: read(path) })).filter(({ content }) => !content.includes('\0'));
const lines = [
  ...paths.map((path) => toLine('name of a file', path)),
  ...documents.flatMap(({ path, content }) =>
    content.split('\n').map((text, index) => toLine(`${path}:${index + 1}`, text.trim())),
  ),
];

const findWord = (word: RegExp, searched: readonly Line[]) =>
  searched
    .filter(({ text, words }) => word.test(text) || word.test(words))
    .map(({ place, text }) => `${place}: ${text.slice(0, 120)}`);

test.each(OLD_WORDS)('%s is not used; write: %s', (word) => {
  expect(documents.length).toBeGreaterThan(500);
  expect(findWord(word, lines)).toEqual([]);
});

test.each([
  'const openBell = 1',
  'ringBells()',
  'bell_error',
  'BELL_ERROR',
  'class BellHTTP',
  'smtpBELL',
  'HTTPBell2',
  '_bell',
  'src/queue/bell-pause.ts',
])('a word is found inside names: %s', (text) => {
  expect(findWord(/\bbells?\b/i, [toLine('here', text)])).toHaveLength(1);
});

test.each(['aggregate', 'doorstep', 'stringBuffer'])('a word is not found inside longer words: %s', (text) => {
  expect(findWord(/\b(gate|door|ring)s?\b/i, [toLine('here', text)])).toEqual([]);
});
