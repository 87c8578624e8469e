import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readTraces } from './environment.ts';

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';
const read = (more: Record<string, string> = {}) => readTraces({ OTEL_EXPORTER_OTLP_ENDPOINT, ...more });

test('without a collector no traces are kept, whatever else is set', () => {
  assert.equal(readTraces({}), null);
  assert.equal(readTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_SAMPLER: 'odd' }), null);
  assert.equal(read({ OTEL_SDK_DISABLED: 'true' }), null);
  assert.equal(read({ OTEL_TRACES_EXPORTER: 'none' }), null);
});

test('the address is all that is needed', () => {
  assert.deepEqual(read(), {
    url: 'http://collector:4318/v1/traces',
    headers: {},
    timeoutMs: 10_000,
    sampling: { parentBased: true, ratio: 1 },
    serviceName: 'sluice',
    attributes: {},
  });
});

test('the address for traces alone is taken as it is', () => {
  assert.equal(read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c/otlp' })?.url, 'https://c/otlp');
  assert.equal(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/otlp//' })?.url, 'https://c/otlp/v1/traces');
});

test('the samplers are those of OpenTelemetry', () => {
  const share = { OTEL_TRACES_SAMPLER_ARG: '0.01' };
  const sampling = (OTEL_TRACES_SAMPLER: string) => read({ OTEL_TRACES_SAMPLER, ...share })?.sampling;
  assert.deepEqual(sampling(''), { parentBased: true, ratio: 0.01 });
  assert.deepEqual(sampling('parentbased_traceidratio'), { parentBased: true, ratio: 0.01 });
  assert.deepEqual(sampling('traceidratio'), { parentBased: false, ratio: 0.01 });
  assert.deepEqual(sampling('always_on'), { parentBased: false, ratio: 1 });
  assert.deepEqual(sampling('always_off'), { parentBased: false, ratio: 0 });
  assert.deepEqual(sampling('parentbased_always_on'), { parentBased: true, ratio: 1 });
  assert.deepEqual(sampling('parentbased_always_off'), { parentBased: true, ratio: 0 });
});

test('headers and attributes are lists with encoded values', () => {
  const settings = read({
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s%3Dcret%2C, x = y',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,service.name=edge',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  });
  assert.deepEqual(settings?.headers, { 'api-key': 's=cret,', x: 'y' });
  assert.equal(settings?.attributes['deployment.environment.name'], 'prod');
  assert.equal(settings?.serviceName, 'edge');
  assert.equal(settings?.timeoutMs, 500);
  assert.equal(read({ OTEL_SERVICE_NAME: 'mine' })?.serviceName, 'mine');
});

test('headers may be in a file, as they hold a secret', () => {
  const file = join(tmpdir(), `sluice-otel-${process.pid}`);
  writeFileSync(file, 'api-key=hidden\n');
  try {
    assert.deepEqual(read({ OTEL_EXPORTER_OTLP_HEADERS_FILE: file })?.headers, { 'api-key': 'hidden' });
  } finally {
    rmSync(file);
  }
});

test('what cannot be right stops the start, and no secret is repeated', () => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT is not a web address/],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '/x' }, /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not a web address/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /PROTOCOL is "grpc"; make it http\/protobuf/],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /^OTEL_TRACES_SAMPLER is "jaeger_remote"; make it one of always_on, /],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, /^OTEL_TRACES_SAMPLER_ARG is "1.5"; make it a share from 0 to 1/],
    [{ OTEL_TRACES_SAMPLER_ARG: 'half' }, /^OTEL_TRACES_SAMPLER_ARG is "half"/],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: '0' }, /^OTEL_EXPORTER_OTLP_TIMEOUT is "0"/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'hidden' }, /^OTEL_EXPORTER_OTLP_HEADERS cannot be read/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=hidden%' }, /^OTEL_EXPORTER_OTLP_HEADERS cannot be read/],
  ];
  for (const [environment, sentence] of refused)
    assert.throws(
      () => read(environment),
      (error) => error instanceof ConfigError && sentence.test(error.message) && !error.message.includes('hidden'),
    );
});
