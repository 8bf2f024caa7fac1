export { openTracer } from './open-tracer.js';
export {
  asNotSampled,
  inSpan,
  readTraceparent,
  type Span,
  type SpanAttributes,
  type Traceable,
  type Tracer,
  toTraceId,
} from './tracer.js';
