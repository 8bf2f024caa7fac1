import { describeVerification } from './describe-verification.js';
import { ownLanguages } from './languages.js';

for (const language of ownLanguages) describeVerification(language);
