import { parentPort } from 'node:worker_threads';

export type Request<Job> = { readonly id: number; readonly job: Job };
export type Reply<Result> = { readonly id: number } & ({ readonly result: Result } | { readonly error: unknown });

/**
 * Runs the jobs that `openThread` sends to this thread.
 * @param run an error that it throws is passed on to the caller of the job
 */
export function serveJobs<Job, Result>(run: (job: Job) => Result | Promise<Result>): void {
  parentPort?.on('message', async ({ id, job }: Request<Job>) => {
    parentPort?.postMessage(await replyTo(id, job));
  });

  async function replyTo(id: number, job: Job): Promise<Reply<Result>> {
    try {
      return { id, result: await run(job) };
    } catch (error) {
      return { id, error };
    }
  }
}
