import { type SampleLanguage, sampleLanguages } from '@posthorn/code-samples';

/** What nearly every machine with Node has. `npm test` runs only these samples. */
export const commonLanguages: readonly SampleLanguage[] = ['curl', 'node'];

/** `npm run test:all` runs samples in these too, where they are installed. */
export const otherLanguages = sampleLanguages.filter((language) => !commonLanguages.includes(language));
