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
  [/\btoAll\b/, 'replyForAll'],
  [/\bpatience\b/i, 'timeouts'],
  [/\bdoors?\b/i, 'auth layout; the index of a package'],
  [/\btwins?\b/i, 'second instance'],
  [/\bblows?\b/i, 'injected fault'],
  [/\b(MOST|LONGEST|HEAVIEST)_[A-Z]/, 'MAX_... with the unit'],
  [/\bjudg(e|es|ed|ing|e?ments?)\b/i, 'evaluate, classify, check'],
  [/\bvouch(ed|es)?\b/i, 'verified by the operator'],
  [/\b(whoever|whereto|thereof|hereof|midst|anew|shall)\b/i, 'plain English'],
  [/what became of/i, 'what happened to, the state of'],
  [/\bis to be had\b/i, 'is available'],
];

const documents = filesIn('.').filter((path) => /\.(ts|tsx|mjs|js|css|html|md|yml|json|example)$/.test(path));
const OWN_LIST = 'tests/repository/words.test.ts';
const DATA = /^(package-lock\.json|bench\/documented\/|bench\/results\/)/;

test.each(OLD_WORDS)('%s is not used; write: %s', (word) => {
  const texts = documents.filter((path) => path !== OWN_LIST && !DATA.test(path));
  const found = texts.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, index) => (word.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
  );
  expect(texts.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});
