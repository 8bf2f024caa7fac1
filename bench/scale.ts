import { measureStored } from './scale/stored.js';
import { measureWaiting } from './scale/waiting.js';

/**
 * How cost grows: accepting, draining and another workspace's urgent mail while few and many emails wait,
 * what a waiting email takes in Redis, and reading while few and many are stored, what a stored one takes
 * in Postgres included. PART=waiting or PART=stored runs one of both.
 */
const { PART } = process.env;
if (PART !== 'stored') await measureWaiting();
if (PART !== 'waiting') await measureStored();
