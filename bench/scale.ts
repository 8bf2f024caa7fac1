import { measureEvents } from './scale/events.js';
import { measureIdle } from './scale/idle.js';
import { measureRetention } from './scale/retention.js';
import { measureSearch } from './scale/search.js';
import { measureStored } from './scale/stored.js';
import { measureWaiting } from './scale/waiting.js';

/**
 * Measures how cost grows with the number of emails. The first part varies how many emails are waiting. It measures
 * accepting, draining, the delay of another workspace's urgent emails, and Redis memory per email. The second part
 * varies how many emails are stored. It measures reading, and disk space per email. The third part varies how many
 * workspaces have only emails that are due later. It measures a sweep that finds nothing. The fourth part varies how
 * many emails are stored in partitions that together cover 400 days. It measures reading, accepting, delivering, and
 * dropping the oldest partition. The fifth part varies how many emails a text search has to look through.
 * The sixth part varies how many events are stored. It measures reading the event log, and dropping the oldest
 * partition of it. PART=waiting, PART=stored, PART=idle, PART=retention, PART=search or PART=events runs only one part.
 */
const parts = {
  waiting: measureWaiting,
  stored: measureStored,
  idle: measureIdle,
  retention: measureRetention,
  search: measureSearch,
  events: measureEvents,
};
const { PART } = process.env;
for (const [part, measure] of Object.entries(parts)) if (PART === undefined || PART === part) await measure();
