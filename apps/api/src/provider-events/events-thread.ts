// Runs in a thread of its own, so that thousands of events in one body do not keep other requests waiting.
import { serveJobs } from '@posthorn/threads';
import { type EventsJob, type EventsResult, readEvents } from './read-events.js';

serveJobs<EventsJob, EventsResult>(readEvents);
