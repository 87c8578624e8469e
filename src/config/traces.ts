/** Where traces go: the variables that OpenTelemetry names for every program, as far as they matter here. */
import type { SamplingSettings, TraceSettings } from '#base/trace-settings.ts';
import { ConfigError } from './config-error.ts';
import { secretOf } from './secrets.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SAMPLERS: Readonly<Record<string, { readonly parentBased: boolean; readonly ratio: number | null }>> = {
  always_on: { parentBased: false, ratio: 1 },
  always_off: { parentBased: false, ratio: 0 },
  traceidratio: { parentBased: false, ratio: null },
  parentbased_always_on: { parentBased: true, ratio: 1 },
  parentbased_always_off: { parentBased: true, ratio: 0 },
  parentbased_traceidratio: { parentBased: true, ratio: null },
};

/** Null: no traces are kept. Throws ConfigError, which repeats no header. */
export function readTraces(environment: Environment): TraceSettings | null {
  const url = readUrl(environment);
  const isOff = environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || environment.OTEL_TRACES_EXPORTER === 'none';
  if (url === null || isOff) return null;
  const name = 'OTEL_EXPORTER_OTLP_HEADERS';
  const headers = secretOf(environment, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? secretOf(environment, name) ?? '';
  const attributes = pairsOf('OTEL_RESOURCE_ATTRIBUTES', environment.OTEL_RESOURCE_ATTRIBUTES ?? '');
  return {
    url,
    headers: pairsOf(name, headers),
    timeoutMs: readTimeout(environment),
    sampling: readSampling(environment),
    serviceName: environment.OTEL_SERVICE_NAME || attributes['service.name'] || 'sluice',
    attributes,
  };
}

function readUrl(environment: Environment): string | null {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: base } = environment;
  const name = own ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const text = own || base;
  if (!text) return null;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigError(`${name} is not a web address; make it such as http://127.0.0.1:4318.`);
  const protocol =
    environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  if (protocol !== 'http/protobuf')
    throw new ConfigError(
      `OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(protocol)}; make it http/protobuf, and the endpoint the collector's port for that (4318).`,
    );
  return own ? text : `${text.replace(/\/+$/, '')}/v1/traces`;
}

function readSampling(environment: Environment): SamplingSettings {
  const { OTEL_TRACES_SAMPLER: asked, OTEL_TRACES_SAMPLER_ARG: share } = environment;
  const sampler = SAMPLERS[asked || 'parentbased_traceidratio'];
  if (!sampler)
    throw new ConfigError(
      `OTEL_TRACES_SAMPLER is ${JSON.stringify(asked)}; make it one of ${Object.keys(SAMPLERS).join(', ')}.`,
    );
  const ratio = share ? Number(share) : 1;
  if (!(ratio >= 0 && ratio <= 1))
    throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG is ${JSON.stringify(share)}; make it a share from 0 to 1.`);
  return { parentBased: sampler.parentBased, ratio: sampler.ratio ?? ratio };
}

const TIMEOUT_MS = 10_000;
const TIMEOUT_MS_MAX = 60_000;

function readTimeout(environment: Environment): number {
  const text = environment.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || environment.OTEL_EXPORTER_OTLP_TIMEOUT;
  const ms = text ? Number(text) : TIMEOUT_MS;
  if (Number.isInteger(ms) && ms > 0 && ms <= TIMEOUT_MS_MAX) return ms;
  throw new ConfigError(
    `OTEL_EXPORTER_OTLP_TIMEOUT is ${JSON.stringify(text)}; make it milliseconds, a whole number from 1 to ${TIMEOUT_MS_MAX}.`,
  );
}

/** `name=value` with commas between; values are percent-encoded. */
function pairsOf(variable: string, text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => (pair.trim() === '' ? [] : [pair]));
  return Object.fromEntries(pairs.map((pair) => pairOf(variable, pair)));
}

function pairOf(variable: string, pair: string): [string, string] {
  const [, name = '', value = ''] = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
  try {
    if (name !== '') return [name, decodeURIComponent(value)];
  } catch {
    // The same sentence: what it says is a secret.
  }
  throw new ConfigError(`${variable} cannot be read; make it name=value,name=value, with other characters as %XX.`);
}
