/**
 * Answers requests to the operations of a document: writes the reply, or the fault in the envelope of the document.
 */
import type { Fault, FaultCode } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { Headers, Reply } from '#contract/reply.ts';
import { Compressor } from './compression.ts';
import { type FaultOptions, faultOf } from './faults.ts';
import { assertUnambiguous } from './protocol.ts';
import type { RequestContext } from './request-context.ts';
import type { Traffic } from './traffic.ts';
import { UnreadBytes } from './unread-bytes.ts';
import { type ReplySettings, writeReply } from './write-reply.ts';

/** What the requests of a server share, whichever document they are of. */
export interface AnswerSettings extends FaultOptions {
  readonly limits: { readonly unreadBytes: number };
  readonly traffic: Pick<Traffic, 'draining'>;
  /** A request was answered with this error. */
  readonly onRefusal?: ((code: FaultCode) => void) | undefined;
  readonly log: Log;
}

/** What differs between documents. */
export interface Answers {
  readonly replyTo: (call: RequestContext) => Reply | Promise<Reply>;
  readonly faultReply: (fault: Fault, call: RequestContext) => Reply;
  /** Headers of every reply that does not set them itself. */
  readonly headers: Headers;
  /** How many bytes of an unread body may still arrive. */
  readonly discardBytesMax: (call: RequestContext) => number;
}

/** Answers one request; never rejects. */
export type Api = (call: RequestContext) => Promise<void>;

/** Builds it. */
export function answering(
  { replyTo, faultReply, headers, discardBytesMax }: Answers,
  { limits, traffic, onRefusal, ...faults }: AnswerSettings,
): Api {
  const compressor = new Compressor();
  const unread = new UnreadBytes(() => limits.unreadBytes, faults.log);
  const settings = (call: RequestContext): ReplySettings => {
    const closeConnection = traffic.draining;
    return { closeConnection, discardBytesMax: discardBytesMax(call), headers, compressor, unread };
  };
  return async (call) => {
    try {
      assertUnambiguous(call.request);
      const written = writeReply(call, await replyTo(call), settings(call));
      if (written) await written;
    } catch (thrown) {
      // The caller disconnected while it sent the body: nobody is there to read a reply, and nothing is wrong.
      if (call.gone) return;
      const fault = faultOf(thrown, call, faults);
      call.fault = fault.code;
      onRefusal?.(fault.code);
      if (call.response.headersSent) call.response.destroy();
      else await writeReply(call, faultReply(fault, call), settings(call));
    }
  };
}
