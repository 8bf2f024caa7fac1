/** A step of work on emails that is being traced. */
export type Span = {
  /** Names this span, so that work that it causes elsewhere becomes part of the same trace. */
  readonly traceparent: string;
  startStep(name: string, options?: SpanOptions): Span;
  set(attributes: SpanAttributes): void;
  /** @param failure an error or a short code if the step failed. The text of an error is not recorded */
  end(failure?: unknown): void;
};

export type SpanOptions = {
  readonly kind?: 'server' | 'client' | 'producer' | 'consumer';
  /** Named as in the semantic conventions of OpenTelemetry. No addresses, subjects, bodies or secrets. */
  readonly attributes?: SpanAttributes;
  /** `performance.now()` when the step began; now by default. */
  readonly startedAt?: number;
};

export type SpanAttributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A request or an email, and the span that it comes from. */
export type Traceable = { readonly traceparent?: string | null | undefined };

/**
 * Records what happens to emails as spans. The request decides whether an email is traced, and everything later follows
 * that decision. What is not traced costs nothing but looking at its traceparent.
 */
export type Tracer = {
  /**
   * Continues the client's trace, or begins a new one.
   * @returns undefined if the request is not among those to record
   */
  startRequest(name: string, client: Traceable, options?: SpanOptions): Span | undefined;
  /**
   * Starts work on one or more emails. The span continues the trace of the first that is traced, and links to all of
   * them if there are several.
   * @returns undefined if none of them is traced
   */
  startWork(name: string, emails: readonly Traceable[], options?: SpanOptions): Span | undefined;
  /** Sends what has been recorded, for at most two seconds. */
  close(): Promise<void>;
};

/** Runs a step and ends its span. Without a span, it only runs the step. */
export function inSpan<Result>(span: Span | undefined, step: () => Promise<Result>): Promise<Result> {
  return span === undefined ? step() : endAfter(span, step);
}

async function endAfter<Result>(span: Span, step: () => Promise<Result>): Promise<Result> {
  try {
    const result = await step();
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

const SAMPLED = 1;

/**
 * Reads the `traceparent` header of a request (https://www.w3.org/TR/trace-context/), which names the client's trace and
 * the step in it that made the request.
 * @returns it as version 00, with no other flag than whether the client records its trace; undefined if there is no
 *   header, or an invalid one, which the standard says to ignore
 */
export function parseTraceparent(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, spanId, flags = '', more] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return undefined;
  return `00-${traceId}-${spanId}-0${Number.parseInt(flags, 16) & SAMPLED}`;
}

/** The trace id of a valid traceparent: 32 hexadecimal digits. */
export function toTraceId(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** The id of the span that a valid traceparent names: 16 hexadecimal digits. */
export function toSpanId(traceparent: string): string {
  return traceparent.slice(36, 52);
}

/** Whether the trace of a valid traceparent is recorded. */
export function isSampled(traceparent: string): boolean {
  return traceparent.endsWith('1');
}

/** The same place in the same trace, which is not recorded. */
export function toNotSampled(traceparent: string): string {
  return `${traceparent.slice(0, -1)}0`;
}
