import { measureEvents } from './scale/events.js';
import { measureSearch } from './scale/search.js';
import { measureStored } from './scale/stored.js';
import { measureWaiting } from './scale/waiting.js';

/**
 * Measures how cost grows with the number of emails and events. PART=waiting, PART=stored, PART=search or PART=events
 * runs only one part.
 */
const parts = { waiting: measureWaiting, stored: measureStored, search: measureSearch, events: measureEvents };
const { PART } = process.env;
for (const [part, measure] of Object.entries(parts)) if (PART === undefined || PART === part) await measure();
