import { parseReport, type Report } from '@posthorn/feedback';
import { serveJobs } from '@posthorn/threads';

serveJobs<Uint8Array, Report>(parseReport);
