import { describeCodeSamples } from '../describe-code-samples.js';
import { otherLanguages } from '../languages.js';

describe.each(otherLanguages)('%s', describeCodeSamples);
