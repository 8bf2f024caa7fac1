import { describeCodeSamples } from './describe-code-samples.js';
import { ownLanguages } from './languages.js';

describe.each(ownLanguages)('%s', describeCodeSamples);
