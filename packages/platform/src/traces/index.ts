export { startTracer } from './start-tracer.js';
export {
  inSpan,
  parseTraceparent,
  type Span,
  type SpanAttributes,
  type Traceable,
  type Tracer,
  toNotSampled,
  toTraceId,
} from './tracer.js';
