import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { encodeJson, grouped, limits } from '@posthorn/domain';
import { JsonError } from './json-error.js';
import type { JsonLimits } from './json-limits.js';
import { jsonRefusal } from './json-refusal.js';
import { parseJson } from './parse-json.js';
import type { ParseJob, ParseReply } from './parse-thread.js';

/** Parsing a larger body can take several milliseconds; 10 MB of escape sequences take a tenth of a second. */
const MAX_BYTES_ON_MAIN_THREAD = limits.smallBody.max;
const MAX_THREAD_HEAP_MB = 128;

const jsonLimits: JsonLimits = {
  maxDepth: limits.jsonDepth.max,
  maxValues: limits.jsonValues.max,
  maxFields: limits.jsonFields.max,
  maxCharactersOutsideStrings: limits.jsonCharactersOutsideStrings.max,
};

export type JsonCodec = {
  /**
   * @param bytes a body that is not empty. A large buffer is transferred to another thread and must not be used
   *   afterwards
   * @throws HttpRefusal malformed_json, or Refusal validation_failed
   */
  parse(bytes: Buffer): Promise<unknown>;
  /**
   * Encodes a large value without blocking other requests. It encodes one value at a time, because several would take
   * too much memory.
   */
  encode(value: object): Promise<Buffer[]>;
  close(): Promise<void>;
};

type Pending = { resolve(value: unknown): void; reject(error: unknown): void };

/** Parses large bodies one at a time in a second thread, which starts when the first one arrives. */
export function openJsonCodec(): JsonCodec {
  const pending = new Map<number, Pending>();
  let thread: Worker | null = null;
  let lastId = 0;

  function startThread(): Worker {
    const started = createThread();
    started.on('message', (reply: ParseReply) => settle(reply));
    // The next large body starts another thread.
    started.on('error', (error) => abandon(started, error));
    started.on('exit', () => abandon(started, new Error('The thread that parses large bodies has stopped')));
    started.unref();
    return started;
  }

  function settle(reply: ParseReply): void {
    const waiting = pending.get(reply.id);
    pending.delete(reply.id);
    if ('fault' in reply) waiting?.reject(jsonRefusal(reply.fault));
    else if ('error' in reply) waiting?.reject(reply.error);
    else waiting?.resolve(reply.value);
  }

  function abandon(stopped: Worker, error: Error): void {
    if (thread !== stopped) return;
    thread = null;
    for (const waiting of pending.values()) waiting.reject(error);
    pending.clear();
  }

  return {
    async parse(bytes) {
      if (bytes.length <= MAX_BYTES_ON_MAIN_THREAD) return parseHere(bytes);
      thread ??= startThread();
      const worker = thread;
      lastId += 1;
      const job: ParseJob = { id: lastId, bytes, limits: jsonLimits };
      return new Promise((resolve, reject) => {
        pending.set(job.id, { resolve, reject });
        worker.postMessage(job, [bytes.buffer as ArrayBuffer]);
      });
    },
    encode: grouped(async ([value]: object[]) => [await encodeJson(value)], { max: 1 }),
    async close() {
      await thread?.terminate();
    },
  };
}

function parseHere(bytes: Buffer): unknown {
  try {
    return parseJson(bytes, jsonLimits);
  } catch (error) {
    throw error instanceof JsonError ? jsonRefusal(error.fault) : error;
  }
}

/** The thread does not inherit options of the process, such as modules to preload. */
function createThread(): Worker {
  const extension = extname(import.meta.filename);
  const file = join(import.meta.dirname, `parse-thread${extension}`);
  const options = { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_HEAP_MB } };
  if (extension === '.js') return new Worker(file, options);
  // To run from source, as in the tests, Node needs a loader for TypeScript.
  return new Worker(`require('tsx/cjs'); require(${JSON.stringify(file)});`, { ...options, eval: true });
}
