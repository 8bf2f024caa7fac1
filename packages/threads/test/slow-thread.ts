import { serveJobs } from '../src/index.js';

/** Returns the job, or never, if it is `forever`. */
serveJobs<string, string>((job) => {
  if (job === 'throw') throw new Error('The job failed');
  while (job === 'forever');
  return job;
});
