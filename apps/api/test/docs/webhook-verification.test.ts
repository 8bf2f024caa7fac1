import { describeVerification } from './describe-verification.js';
import { commonLanguages } from './languages.js';

for (const language of commonLanguages) describeVerification(language);
