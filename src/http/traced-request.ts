/**
 * Requests of which traces are kept, as the server sees them: it tells of each when it came and how it ended, and is
 * told what to send on. What becomes of a trace is in `observe/traces/`.
 */
import type { FaultCode } from '#base/fault.ts';
import type { AnyCall } from '#contract/call.ts';
import type { TraceContext } from './trace-context.ts';

/** A request that has just come. */
export interface BegunRequest {
  readonly method: string;
  /** What it belongs to; null where its caller keeps no trace. */
  readonly parent: TraceContext | null;
  readonly atMs: number;
}

/** How it ended. */
export interface EndedRequest {
  /** The address as the contract has it, with its parameters in braces; null for an unknown one. */
  readonly route: string | null;
  /** Null without a response. */
  readonly status: number | null;
  /** The fault that it was answered with; null for none. */
  readonly fault: FaultCode | null;
  /** The order in the reply; null for none. */
  readonly orderId: string | null;
  /** Whether the caller disconnected before the response was complete. */
  readonly gone: boolean;
  readonly atMs: number;
}

/** One request. */
export interface TracedRequest {
  /** The trace of the request from here on, whether anything of it is kept or not. */
  readonly trace: Omit<AnyCall['trace'], 'requestId' | 'context'> & { readonly context: TraceContext };
  ended(end: EndedRequest): void;
}

/** Told of every request but those for health. Never throws and never waits. */
export interface Tracing {
  begun(request: BegunRequest): TracedRequest;
}
