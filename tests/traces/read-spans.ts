/** A span as a collector receives it. */
export type ReceivedSpan = {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** The ids of the spans that it links to. */
  readonly links: readonly string[];
  readonly hasFailed: boolean;
};

type Field = { readonly number: number; readonly value: bigint | Buffer };

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const ERROR = 2n;

/** Reads the spans of an ExportTraceServiceRequest (https://github.com/open-telemetry/opentelemetry-proto). */
export function readSpans(request: Buffer): ReceivedSpan[] {
  return messages(request, 1).flatMap((resourceSpans) => {
    const [resource = Buffer.alloc(0)] = messages(resourceSpans, 1);
    const service = String(parseAttributes(messages(resource, 1))['service.name']);
    const spans = messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2));
    return spans.map((span) => ({ service, ...toSpan(span) }));
  });
}

function toSpan(span: Buffer): Omit<ReceivedSpan, 'service'> {
  const hex = (message: Buffer, number: number) => messages(message, number)[0]?.toString('hex') ?? '';
  const [status = Buffer.alloc(0)] = messages(span, 15);
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentId: hex(span, 4),
    name: String(messages(span, 5)[0]),
    attributes: parseAttributes(messages(span, 9)),
    links: messages(span, 13).map((link) => hex(link, 2)),
    hasFailed: parseFields(status).some(({ number, value }) => number === 3 && value === ERROR),
  };
}

function parseAttributes(pairs: readonly Buffer[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key, value] = parseFields(pair).map((field) => field.value as Buffer);
      return [String(key), toValue(parseFields(value as Buffer)[0] as Field)];
    }),
  );
}

function toValue({ number, value }: Field): string | number | boolean {
  if (typeof value !== 'bigint') return value.toString();
  return number === 2 ? value === 1n : Number(value);
}

/** The nested messages, texts or bytes in a field, which may be repeated. */
function messages(message: Buffer, number: number): Buffer[] {
  return parseFields(message).flatMap(({ number: own, value }) =>
    own === number && typeof value !== 'bigint' ? [value] : [],
  );
}

/** Reads the wire format of Protocol Buffers, without groups, which OTLP does not use. */
function parseFields(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;

  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  function bytes(length: number): Buffer {
    at += length;
    return message.subarray(at - length, at);
  }

  while (at < message.length) {
    const tag = Number(varint());
    const [number, type] = [tag >> 3, tag & 7];
    if (type === VARINT) fields.push({ number, value: varint() });
    else if (type === BYTES) fields.push({ number, value: bytes(Number(varint())) });
    else fields.push({ number, value: bytes(type === FIXED_64 ? 8 : 4) });
  }
  return fields;
}
