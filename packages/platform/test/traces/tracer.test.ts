import { parseTraceparent, toTraceId } from '../../src/traces/tracer.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test.each([
  [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
  // Only the flag for sampling is kept
  [`00-${TRACE}-${SPAN}-03`, `00-${TRACE}-${SPAN}-01`],
  // A later version of the standard may add fields
  [`cc-${TRACE}-${SPAN}-01-what-the-future-will-bring`, `00-${TRACE}-${SPAN}-01`],
])('%s is read as %s', (header, traceparent) => {
  expect(parseTraceparent(header)).toBe(traceparent);
});

test.each([
  undefined,
  '',
  [`00-${TRACE}-${SPAN}-01`],
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-0x`,
  `00-${TRACE}-jane@example.com-01`,
])('%j is ignored', (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

test('the trace id is the second part', () => {
  expect(toTraceId(`00-${TRACE}-${SPAN}-01`)).toBe(TRACE);
});
