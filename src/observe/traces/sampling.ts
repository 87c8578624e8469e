/** Which traces are kept, by the names and rules of OpenTelemetry. */
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import type { SamplingSettings } from '#base/trace-settings.ts';

/** Whether a trace is kept. `byParent`: what the caller decided; null where it keeps no trace. */
export type Sampler = (traceId: string, byParent: boolean | null) => boolean;

/** The share is taken by the trace's id, so that all services with the same one keep the same traces. */
export function samplerOf({ parentBased, ratio }: SamplingSettings): Sampler {
  const byId = new TraceIdRatioBasedSampler(ratio);
  const isChosen = (traceId: string) =>
    byId.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  return (traceId, byParent) => (parentBased && byParent !== null ? byParent : isChosen(traceId));
}
