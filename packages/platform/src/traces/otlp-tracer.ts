import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '@posthorn/platform/config';
import type { Log } from '@posthorn/platform/logs';
import { newId } from '@posthorn/platform/values';
import { isSampled, type Span, type SpanOptions, type Traceable, type Tracer, toSpanId, toTraceId } from './tracer.js';

const CLOSE_MS = 2_000;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/**
 * Records spans with OpenTelemetry, and sends them to a collector in the background. If the collector is down or slow,
 * they are dropped. Parents are passed explicitly: AsyncLocalStorage would slow down every promise, and groups of emails
 * have no single parent.
 */
export function startOtlpTracer(
  { endpoint, headers, serviceName, sampleRatio, clientsDecide }: TracingSettings,
  log: Pick<Log, 'warn'>,
): Tracer {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: { ...headers } });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.instance.id': newId() }),
    spanProcessors: [new BatchSpanProcessor({ exporter: reportFailures(exporter, log) })],
  });
  const tracer = provider.getTracer('posthorn');

  function start(name: string, parent: Context, { kind, attributes, startedAt, links = [] }: LinkedOptions): Span {
    const options = {
      ...(kind && { kind: kinds[kind] }),
      ...(startedAt !== undefined && { startTime: startedAt }),
      links,
    };
    const span = tracer.startSpan(name, options, parent);
    return toSpan(span, attributes, (step, more = {}) => start(step, trace.setSpan(ROOT_CONTEXT, span), more));
  }

  return {
    startRequest(name, { traceparent }, options = {}) {
      const isChosen = traceparent && clientsDecide ? isSampled(traceparent) : Math.random() < sampleRatio;
      return isChosen ? start(name, traceparent ? toParent(traceparent) : ROOT_CONTEXT, options) : undefined;
    },
    startWork(name, emails, options = {}) {
      const traced = tracedAmong(emails);
      const [first] = traced;
      if (first === undefined) return undefined;
      const links = traced.length > 1 ? traced.map((traceparent) => ({ context: toContext(traceparent) })) : [];
      return start(name, toParent(first), { ...options, links });
    },
    async close() {
      // It rejects if the collector is down, which must not keep a process from stopping cleanly.
      await Promise.race([provider.shutdown().catch(() => {}), sleep(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

type LinkedOptions = SpanOptions & { readonly links?: Array<{ context: SpanContext }> };

/** The emails of a batch request come from the same span. */
function tracedAmong(emails: readonly Traceable[]): string[] {
  const traced = new Set<string>();
  for (const { traceparent } of emails) if (traceparent && isSampled(traceparent)) traced.add(traceparent);
  return [...traced];
}

function toSpan(span: OtelSpan, attributes: SpanOptions['attributes'], startStep: Span['startStep']): Span {
  const { traceId, spanId } = span.spanContext();
  const set: Span['set'] = (more) => {
    for (const name in more) {
      const value = more[name];
      if (value !== null && value !== undefined) span.setAttribute(name, value);
    }
  };
  if (attributes) set(attributes);
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    startStep,
    set,
    end(failure) {
      if (failure !== undefined) {
        span.setAttribute('error.type', failureType(failure));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

/** The text of an error is left out, because servers write addresses into it. */
function failureType(failure: unknown): string {
  if (typeof failure === 'string') return failure;
  const { code, cause, name } = failure as { code?: unknown; cause?: { code?: unknown }; name?: unknown };
  return String(code ?? cause?.code ?? name ?? 'error');
}

function toContext(traceparent: string): SpanContext {
  return { traceId: toTraceId(traceparent), spanId: toSpanId(traceparent), traceFlags: 1, isRemote: true };
}

function toParent(traceparent: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, toContext(traceparent));
}

function reportFailures(exporter: SpanExporter, log: Pick<Log, 'warn'>): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) log.warn({ error: result.error, spans: spans.length }, 'traces_not_exported');
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
