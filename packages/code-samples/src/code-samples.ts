import { curlSample } from './curl.js';
import { goSample } from './go.js';
import { nodeSample } from './node.js';
import { phpSample } from './php.js';
import { pythonSample } from './python.js';
import type { SampleRequest } from './sample-request.js';

/** The languages of code samples, in the order in which they are shown. */
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
  curl: curlSample,
  node: nodeSample,
  python: pythonSample,
  php: phpSample,
  go: goSample,
};

/** A program in this language that sends the request. It can be pasted and run as is. */
export function codeSample(language: SampleLanguage, request: SampleRequest): string {
  return writers[language](request);
}
