import { testSamples } from './samples.js';

describe('events', () => testSamples('mailgun'));
