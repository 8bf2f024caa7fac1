import { describeVerification } from '../describe-verification.js';
import { otherLanguages } from '../languages.js';

for (const language of otherLanguages) describeVerification(language);
