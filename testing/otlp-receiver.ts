/**
 * A collector of traces for tests: takes OTLP over HTTP as protobuf, and reads it by the public definition, with none
 * of the code that wrote it. It can also refuse, or stay silent.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import protobuf from 'protobufjs';
import { listening } from './listening.ts';
import { until } from './until.ts';

/** The parts of opentelemetry/proto/trace/v1/trace.proto that are read; fields that it does not name are skipped. */
const DEFINITION = `
  syntax = "proto3";
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; }
  }
  message ArrayValue { repeated AnyValue values = 1; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { string message = 2; int32 code = 3; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
    repeated Link links = 13; Status status = 15;
  }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
`;
const EXPORT = protobuf.parse(DEFINITION).root.lookupType('ExportTraceServiceRequest');
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUSES = ['UNSET', 'OK', 'ERROR'];

type Value = string | number | boolean | readonly Value[];

/** A span as it came. Ids are in hex; times in milliseconds. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' for none. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: string;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** What its process is called. */
  readonly resource: Readonly<Record<string, Value>>;
}

/** A running collector. */
export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  /** All spans so far, in the order in which they came. */
  readonly spans: readonly ReceivedSpan[];
  /** Everything that was received, as it came. */
  readonly bytes: Buffer;
  /** The headers of each export. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** How it answers from now on: with this status, not at all, or by closing the connection. */
  answer: number | 'never' | 'reset';
  /** Resolves when a span of this name has come, and `count` of them. */
  has(name: string, count?: number): Promise<void>;
  /** Resolves when `count` exports have come, whatever they were answered. */
  asked(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a collector on a loopback port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const parts: Buffer[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    headers.push(request.headers);
    const { answer } = receiver;
    if (answer === 'never') return;
    if (answer === 'reset') {
      request.socket.destroy();
      return;
    }
    const status = request.url === '/v1/traces' ? answer : 404;
    if (status === 200) {
      parts.push(bytes);
      spans.push(...spansOf(bytes));
    }
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
  });
  const { url, close } = await listening(server);
  const receiver: OtlpReceiver = {
    url,
    spans,
    headers,
    get bytes() {
      return Buffer.concat(parts);
    },
    answer: 200,
    has: (name, count = 1) => until(async () => spans.filter((span) => span.name === name).length >= count),
    asked: (count) => until(async () => headers.length >= count),
    close,
  };
  return receiver;
}

interface KeyValue {
  readonly key: string;
  readonly value: Record<string, unknown> & { readonly arrayValue?: { readonly values: Record<string, unknown>[] } };
}

type DecodedSpan = Record<'name' | 'startTimeUnixNano' | 'endTimeUnixNano', string> &
  Record<'traceId' | 'spanId' | 'parentSpanId', Uint8Array> & {
    readonly kind: number;
    readonly attributes: readonly KeyValue[];
    readonly links: readonly Record<'traceId' | 'spanId', Uint8Array>[];
    readonly status: { readonly code: number } | null;
  };

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly DecodedSpan[] }[];
  }[];
}

/** The spans of one export. Throws when it is not well-formed. */
function spansOf(bytes: Uint8Array): ReceivedSpan[] {
  const options = { longs: String, defaults: true, arrays: true };
  const { resourceSpans } = EXPORT.toObject(EXPORT.decode(bytes), options) as Export;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const named = valuesOf(resource.attributes);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...spanOf(span), resource: named })));
  });
}

function spanOf(span: DecodedSpan): Omit<ReceivedSpan, 'resource'> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const ms = (nano: string) => Number(BigInt(nano) / 1_000n) / 1_000;
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentId: hex(span.parentSpanId),
    name: span.name,
    kind: KINDS[span.kind] ?? '',
    startMs: ms(span.startTimeUnixNano),
    endMs: ms(span.endTimeUnixNano),
    status: STATUSES[span.status?.code ?? 0] ?? '',
    attributes: valuesOf(span.attributes),
    links: span.links.map(({ traceId, spanId }) => ({ traceId: hex(traceId), spanId: hex(spanId) })),
  };
}

function valuesOf(pairs: readonly KeyValue[]): Record<string, Value> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plainOf(value)]));
}

function plainOf({ arrayValue, ...value }: KeyValue['value']): Value {
  if (arrayValue) return arrayValue.values.map(plainOf);
  const [kind, plain] = Object.entries(value)[0] ?? [];
  return kind === 'intValue' ? Number(plain) : (plain as Value);
}
