import { type SampleLanguage, sampleLanguages } from '@posthorn/code-samples';

/** `npm test` runs samples only in these. Every machine with the repository has Node. */
export const ownLanguages: readonly SampleLanguage[] = ['node'];

/** `npm run test:all` runs samples in these too, where they are installed. */
export const otherLanguages = sampleLanguages.filter((language) => !ownLanguages.includes(language));
