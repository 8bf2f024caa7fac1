import { type SampleLanguage, sampleLanguageNames } from '../code-samples.js';
import { goVerification } from './go.js';
import { nodeVerification } from './node.js';
import { phpVerification } from './php.js';
import { pythonVerification } from './python.js';
import { shellVerification } from './shell.js';

/** The environment variable from which the samples read the secret, as `whsec_...`. */
export const SECRET_VARIABLE = 'POSTHORN_WEBHOOK_SECRET';

/** The samples whose other language is curl are for a shell. */
export const verificationLanguageNames: Readonly<Record<SampleLanguage, string>> = {
  ...sampleLanguageNames,
  curl: 'Shell',
};

const samples: Readonly<Record<SampleLanguage, string>> = {
  curl: shellVerification,
  node: nodeVerification,
  python: pythonVerification,
  php: phpVerification,
  go: goVerification,
};

/**
 * A program that receives events on port 3000, refuses those that are not signed with the secret of the webhook, and
 * logs the others. The one for a shell checks a single message. They need no packages; the one for a shell needs openssl.
 */
export function webhookVerification(language: SampleLanguage): string {
  return samples[language];
}
