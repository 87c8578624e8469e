/**
 * The exporter: OTLP over HTTP, as protobuf. Loads the packages of OpenTelemetry, which only a collector needs.
 * `SpanQueue` in `spans.ts` decides when a batch is sent and what is dropped.
 */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { TraceSettings } from '#base/trace-settings.ts';
import { Traces } from './traces.ts';

/**
 * Traces that are exported to a collector. Nothing is sent before a span ends. `instanceId` is of this process alone.
 */
export function otlpTraces(
  settings: TraceSettings,
  { clock, log, version, instanceId }: { clock: Clock; log: Log; version: string; instanceId: string },
): Traces {
  const { url, headers, timeoutMs, sampling, serviceName, attributes } = settings;
  const own = { 'service.version': version, 'service.instance.id': instanceId };
  const resource = resourceFromAttributes({ ...own, ...attributes, 'service.name': serviceName });
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: timeoutMs });
  return new Traces({ sampling, exporter, resource: defaultResource().merge(resource), clock, log });
}
