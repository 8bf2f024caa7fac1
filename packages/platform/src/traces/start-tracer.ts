import { type Config, ConfigError } from '@posthorn/platform/config';
import type { Log } from '@posthorn/platform/logs';
import type { Tracer } from './tracer.js';

/**
 * Loads OpenTelemetry only if the operator has turned tracing on, because it takes up memory and is an optional
 * dependency.
 * @returns null if tracing is off
 * @throws ConfigError if tracing is on but OpenTelemetry is not installed
 */
export async function startTracer({ tracing }: Pick<Config, 'tracing'>, log: Log): Promise<Tracer | null> {
  if (tracing === null) return null;
  try {
    const { startOtlpTracer } = await import('./otlp-tracer.js');
    return startOtlpTracer(tracing, log);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError([
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages of OpenTelemetry are not installed. Install them with npm ci, without --omit=optional, or unset the variable.',
    ]);
  }
}
