/** Answers the requests to one interface document: with what its operations reply, or with a fault in its envelope. */
import type { Fault, FaultCode } from '#base/fault.ts';
import type { Headers, Reply } from '#contract/reply.ts';
import { createBackend, type DocumentHandlers } from './backend.ts';
import { Compressor } from './compression.ts';
import type { DispatchContract, DispatchEntry } from './contract.ts';
import { type FaultOptions, faultOf } from './faults.ts';
import { assertUnambiguous } from './protocol.ts';
import type { RequestContext } from './request-context.ts';
import { Router } from './routes.ts';
import type { Traffic } from './traffic.ts';
import { UnreadBytes } from './unread-bytes.ts';
import { type ReplySettings, writeReply } from './write-reply.ts';

/** What differs between documents. */
interface DocumentAnswers<Entry extends DispatchEntry, Call> extends DocumentHandlers<Entry, Call> {
  readonly contract: DispatchContract<Entry>;
  /** The reply to a request that the document does not describe; null for any other. */
  readonly apart: (call: RequestContext, router: Router<Entry>) => Reply | null;
  readonly faultReply: (fault: Fault, call: RequestContext) => Reply;
  /** Headers of every reply that does not set them itself. */
  readonly headers: Headers;
  /** How many bytes of an unread body may still arrive. */
  readonly discardBytesMax: (call: RequestContext) => number;
}

/** What all requests to a server share. */
export interface AnswerSettings extends FaultOptions {
  readonly limits: { readonly unreadBytes: number };
  readonly traffic: Pick<Traffic, 'draining'>;
  /** A request was answered with this error. */
  readonly onRefusal?: ((code: FaultCode) => void) | undefined;
}

/** Answers one request; never rejects. */
export type Api = (call: RequestContext) => Promise<void>;

/** Builds the API of a document. Throws when its operations and its handlers are not the same. */
export function answering<Entry extends DispatchEntry, Call>(
  document: DocumentAnswers<Entry, Call>,
  { limits, traffic, onRefusal, ...faults }: AnswerSettings,
): Api {
  const { contract, apart, faultReply, headers, discardBytesMax } = document;
  const router = new Router(contract);
  const backend = createBackend(router, document);
  const compressor = new Compressor();
  const unread = new UnreadBytes(() => limits.unreadBytes, faults.log);
  const settings = (call: RequestContext): ReplySettings => {
    const closeConnection = traffic.draining;
    return { closeConnection, discardBytesMax: discardBytesMax(call), headers, compressor, unread };
  };
  return async (call) => {
    try {
      assertUnambiguous(call.request);
      const reply = apart(call, router) ?? (await backend.handleRequest(call));
      const written = writeReply(call, reply, settings(call));
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
