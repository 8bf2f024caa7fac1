import { basename, extname } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';

export type Thread<Job, Result> = {
  /** @param transferred memory of the job that is moved to the thread. It must not be used afterwards */
  run(job: Job, transferred?: readonly ArrayBuffer[]): Promise<Result>;
  close(): Promise<void>;
};

type Pending<Result> = { resolve(result: Result): void; reject(error: unknown): void };

/**
 * Runs jobs one at a time in a second thread, so that other requests do not wait for them. The thread starts with the
 * first job.
 * @param file the path of the thread's file, without its extension; it calls `serveJobs`
 * @param maxJobMs a job that takes longer is rejected with ThreadStoppedError. Its thread is stopped, so jobs that wait for it
 *   are rejected too
 */
export function startThread<Job, Result>(
  file: string,
  { maxHeapMb, maxJobMs }: { maxHeapMb: number; maxJobMs?: number },
): Thread<Job, Result> {
  const pending = new Map<number, Pending<Result>>();
  let thread: Worker | null = null;
  let lastId = 0;

  function startWorker(): Worker {
    const started = createThread(file, maxHeapMb);
    started.on('message', (reply: Reply<Result>) => settle(reply));
    // The next job starts another thread.
    started.on('error', (error) => abandon(started, new ThreadStoppedError(error.message, { cause: error })));
    started.on('exit', () => abandon(started, new ThreadStoppedError(`The thread ${basename(file)} has stopped`)));
    started.unref();
    return started;
  }

  function settle(reply: Reply<Result>): void {
    const waiting = pending.get(reply.id);
    pending.delete(reply.id);
    if ('error' in reply) waiting?.reject(reply.error);
    else waiting?.resolve(reply.result);
  }

  function abandon(stopped: Worker, error: Error): void {
    if (thread !== stopped) return;
    thread = null;
    for (const waiting of pending.values()) waiting.reject(error);
    pending.clear();
  }

  return {
    run(job, transferred = []) {
      thread ??= startWorker();
      const worker = thread;
      lastId += 1;
      const request: Request<Job> = { id: lastId, job };
      const result = new Promise<Result>((resolve, reject) => {
        pending.set(request.id, { resolve, reject });
        worker.postMessage(request, [...transferred]);
      });
      if (maxJobMs === undefined) return result;
      return within(maxJobMs, result, () => {
        abandon(worker, new ThreadStoppedError(`A job in the thread ${basename(file)} took more than ${maxJobMs} ms`));
        void worker.terminate();
      });
    },
    async close() {
      await thread?.terminate();
    },
  };
}

/** The time counts from when the job was sent, so it includes the start of the thread. */
function within<Result>(ms: number, result: Promise<Result>, onTimeout: () => void): Promise<Result> {
  const timer = setTimeout(onTimeout, ms);
  return result.finally(() => clearTimeout(timer));
}

/** The thread of a job was stopped, for example because a job took too long, or because its memory was full. */
export class ThreadStoppedError extends Error {
  override name = 'ThreadStoppedError';
}

/** The thread does not inherit options of the process, such as modules to preload. */
function createThread(file: string, maxHeapMb: number): Worker {
  const extension = extname(import.meta.filename);
  const path = `${file}${extension}`;
  const resourceLimits = { maxOldGenerationSizeMb: maxHeapMb };
  if (extension === '.js') return new Worker(path, { execArgv: [], resourceLimits });
  // To run from source, as in the tests, Node needs a TypeScript loader and must resolve our packages to source.
  const execArgv = ['--conditions=@posthorn/source'];
  return new Worker(`require('tsx/cjs'); require(${JSON.stringify(path)});`, { execArgv, resourceLimits, eval: true });
}

type Request<Job> = { readonly id: number; readonly job: Job };
type Reply<Result> = { readonly id: number } & ({ readonly result: Result } | { readonly error: unknown });

/**
 * Runs the jobs that `startThread` sends to this thread.
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
