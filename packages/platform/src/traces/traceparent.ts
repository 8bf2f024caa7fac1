const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

const SAMPLED = 1;

/**
 * Reads the `traceparent` header of a request (https://www.w3.org/TR/trace-context/), which names the client's trace and
 * the step in it that made the request.
 * @returns it as version 00, with no other flag than whether the client records its trace; undefined if there is no
 *   header, or an invalid one, which the standard says to ignore
 */
export function readTraceparent(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, spanId, flags = '', more] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return undefined;
  return `00-${traceId}-${spanId}-0${Number.parseInt(flags, 16) & SAMPLED}`;
}

/** The trace id of a valid traceparent: 32 hexadecimal digits. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** The id of the span that a valid traceparent names: 16 hexadecimal digits. */
export function spanIdOf(traceparent: string): string {
  return traceparent.slice(36, 52);
}

/** Whether the trace of a valid traceparent is recorded. */
export function isSampled(traceparent: string): boolean {
  return traceparent.endsWith('1');
}

/** The same place in the same trace, which is not recorded. */
export function asNotSampled(traceparent: string): string {
  return `${traceparent.slice(0, -1)}0`;
}
