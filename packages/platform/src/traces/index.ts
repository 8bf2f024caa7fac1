export { openTracer } from './open-tracer.js';
export { asNotSampled, readTraceparent, traceIdOf } from './traceparent.js';
export { inSpan, type Span, type SpanAttributes, type Traceable, type Tracer } from './tracer.js';
