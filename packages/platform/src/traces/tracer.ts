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
