import { writeCurl } from './curl.js';
import { writeGo } from './go.js';
import { writeNode } from './node.js';
import { writePhp } from './php.js';
import { writePython } from './python.js';
import type { SampleRequest } from './request.js';

export { COOKIE_VARIABLE, KEY_VARIABLE, type SampleCredential, type SampleRequest } from './request.js';
export { writeJson } from './write-value.js';

export const sampleLanguages = ['curl', 'node', 'python', 'php', 'go'] as const;

export type SampleLanguage = (typeof sampleLanguages)[number];

export const sampleLanguageNames: Readonly<Record<SampleLanguage, string>> = {
  curl: 'curl',
  node: 'Node.js',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
};

const writers: Readonly<Record<SampleLanguage, (request: SampleRequest) => string>> = {
  curl: writeCurl,
  node: writeNode,
  python: writePython,
  php: writePhp,
  go: writeGo,
};

/** A program in this language that sends the request. It can be pasted and run as is. */
export function writeCodeSample(language: SampleLanguage, request: SampleRequest): string {
  return writers[language](request);
}
