// Runs in a thread of its own, because a message of 10 MB takes a quarter of a second.
import { buildWholeMessage, type WholeMessageParts } from '@posthorn/message';
import { serveJobs } from '@posthorn/threads';

serveJobs<WholeMessageParts, Uint8Array>(buildWholeMessage);
