import { join } from 'node:path';
import { limits } from '@posthorn/domain/limits';
import { grouped } from '@posthorn/platform/batching';
import { encodeJson } from '@posthorn/platform/values';
import { openThread } from '@posthorn/threads';
import { JsonError } from './json-error.js';
import type { JsonLimits } from './json-limits.js';
import { jsonRefusal } from './json-refusal.js';
import { parseJson } from './parse-json.js';
import type { ParseJob, ParseResult } from './parse-thread.js';

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

/** Parses large bodies one at a time in a second thread, which starts when the first one arrives. */
export function openJsonCodec(): JsonCodec {
  const thread = openThread<ParseJob, ParseResult>(join(import.meta.dirname, 'parse-thread'), {
    maxHeapMb: MAX_THREAD_HEAP_MB,
  });
  return {
    async parse(bytes) {
      if (bytes.length <= MAX_BYTES_ON_MAIN_THREAD) return parseHere(bytes);
      const result = await thread.run({ bytes, limits: jsonLimits }, [bytes.buffer as ArrayBuffer]);
      if ('fault' in result) throw jsonRefusal(result.fault);
      return result.value;
    },
    encode: grouped(async ([value]: object[]) => [await encodeJson(value)], { max: 1 }),
    close: () => thread.close(),
  };
}

function parseHere(bytes: Buffer): unknown {
  try {
    return parseJson(bytes, jsonLimits);
  } catch (error) {
    throw error instanceof JsonError ? jsonRefusal(error.fault) : error;
  }
}
