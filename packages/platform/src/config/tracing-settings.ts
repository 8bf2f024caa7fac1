import type { envReader } from './env-reader.js';
import type { Env } from './read-env.js';

/** Where traces are sent, and how many. */
export type TracingSettings = {
  /** The base URL of an OTLP collector, without a trailing slash. */
  readonly endpoint: string;
  /** Sent with every request to the collector. They may contain secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of requests to record, from 0 to 1, of those whose client does not decide it. */
  readonly sampleRatio: number;
  /** Whether the flag in a client's traceparent says if its request is recorded. */
  readonly clientsDecide: boolean;
};

/** Never used, because tracing is off without a collector. */
const NO_COLLECTOR = 'http://localhost:4318';

/** Named as in the specification of OpenTelemetry. */
const SAMPLERS = ['traceidratio', 'parentbased_traceidratio'] as const;

/** @returns null if tracing is off */
export function readTracingSettings(
  env: Env,
  read: ReturnType<typeof envReader<keyof Env>>,
  defaultName: string,
): TracingSettings | null {
  const settings = {
    endpoint: read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'], NO_COLLECTOR).replace(/\/+$/, ''),
    headers: read.headers('OTEL_EXPORTER_OTLP_HEADERS'),
    serviceName: env.OTEL_SERVICE_NAME ?? defaultName,
    sampleRatio: read.ratio('OTEL_TRACES_SAMPLER_ARG', 1),
    clientsDecide: read.choice('OTEL_TRACES_SAMPLER', SAMPLERS) === 'parentbased_traceidratio',
  };
  return env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? null : settings;
}
