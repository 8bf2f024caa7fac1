import { measureStored } from './scale/stored.js';
import { measureWaiting } from './scale/waiting.js';

/**
 * Measures how cost grows with the number of emails. The first part varies how many wait: accepting, draining, the delay
 * of another workspace's urgent emails, and Redis memory per email. The second part varies how many are stored: reading,
 * and disk space per email. PART=waiting or PART=stored runs only one part.
 */
const { PART } = process.env;
if (PART !== 'stored') await measureWaiting();
if (PART !== 'waiting') await measureStored();
