import { describeCodeSamples } from './describe-code-samples.js';
import { commonLanguages } from './languages.js';

describe.each(commonLanguages)('%s', describeCodeSamples);
