export { startTracer } from './open-tracer.js';
export {
  inSpan,
  readTraceparent,
  type Span,
  type SpanAttributes,
  type Traceable,
  type Tracer,
  toNotSampled,
  toTraceId,
} from './tracer.js';
