/**
 * The trace that a caller's request belongs to: `traceparent` and `tracestate`, as the W3C defines them
 * (https://www.w3.org/TR/trace-context/). Both are passed on, unchanged unless the gateway keeps traces itself. A value
 * that is not well-formed is dropped, because another system's logs are not the place to find out.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { AnyCall } from '#contract/call.ts';

/** The two headers. */
export type TraceContext = NonNullable<AnyCall['trace']['context']>;

/** Version, trace id, span id and flags. Version ff and ids of zeros are invalid. */
const TRACEPARENT = /^((?!ff)[\da-f]{2})(-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})(-.*)?$/;
/** The length that every system must pass on, in visible characters and spaces. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** The trace in these headers; null for none. A later version is passed on as version 00, which it has to contain. */
export function traceContextOf({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext | null {
  if (typeof traceparent !== 'string') return null;
  const [, version, ids, more] = TRACEPARENT.exec(traceparent.trim()) ?? [];
  if (ids === undefined || (version === '00' && more !== undefined)) return null;
  const isSound = typeof tracestate === 'string' && TRACESTATE.test(tracestate);
  return { traceparent: `00${ids}`, tracestate: isSound ? tracestate : null };
}

/** The id of the whole trace, for the log. */
export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice('00-'.length, '00-'.length + 32);
}
