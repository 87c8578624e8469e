/**
 * What a handler gets, without express: `http/` builds the call from the request; and the type of every handler, from the
 * documents. The type check finds a missing handler, a handler of no operation, a field that its body does not have, a
 * reply that is not documented, and a principal where no key is required.
 */
import assert from 'node:assert';
import type { IncomingHttpHeaders } from 'node:http';
import type { AccountActor, SignedIn, SignInPlace } from '#access/member.ts';
import type { Principal } from '#access/principal.ts';
import type { RequestTrace } from '#orders/request.ts';
import type { AnyId, BodyOf, ConsoleId, HeadersOf, ParamsOf, PublicId, QueryOf, RowOf } from './operation.ts';
import type { QueryTexts } from './query.ts';
import type { JsonOf, JsonReply, Reply, ReplyOf } from './reply.ts';

/** A request that passed routing, access, limits and validation. */
interface Request {
  /** Frees the memory of the body while the reply is still to come. `body` is undefined afterwards. */
  dropBody(): void;
  readonly requestId: string;
  /** What the caller's systems call the request, for its order. */
  readonly trace: RequestTrace;
  /** The address as which the caller counts where callers without a key share something. */
  readonly address: string;
  /** Whether only the headers of the reply are sent, as for HEAD. */
  readonly headersOnly: boolean;
  /**
   * Calls `run` once when the caller's connection closes before the reply is complete. When it is closed already, `run`
   * is called soon, but not before this call returns.
   */
  onGone(run: () => void): void;
  /**
   * Calls `run` once when the reply has ended in whatever way, with how many bytes of it were sent: infinitely many when it
   * is complete, none when it is a refusal.
   */
  onSent(run: (bytes: number) => void): void;
}

/** The request of an operation. */
export interface Call<Id extends AnyId> extends Request {
  readonly params: ParamsOf<Id>;
  readonly query: QueryOf<Id>;
  readonly headers: HeadersOf<Id>;
  readonly body: RowOf<Id>['tag'] extends 'inference' ? BodyOf<Id> | ReadElsewhere : BodyOf<Id>;
}

/** What a handler finds instead of a body that the thread for large bodies has read for it. */
export class ReadElsewhere {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** What the thread's reader of the operation returned; for inference a `ReadRequest`. */
  as<Value>(): Value {
    return this.#value as Value;
  }
}

/** A call of an operation that requires a key. */
export type SecuredCall<Id extends AnyId> = Call<Id> & { readonly principal: Principal };

/** A call of an operation that takes a form (`multipart/form-data`). Its `body` is undefined. */
export type FormCall<Id extends AnyId> = SecuredCall<Id> & {
  /**
   * The parts in the order in which the caller sends them; to be read once, and received no faster than they are read.
   * Throws Fault invalid_request for a form that cannot be read, and request_too_large.
   */
  readonly form: AsyncIterable<FormPart>;
};

/** A call of any operation, as `http/` hands it over; the handler's type says what of it is there. */
export interface AnyCall extends Request {
  readonly params: Readonly<Record<string, string>>;
  readonly queryTexts: QueryTexts;
  /** As the reader of the operation returns it. */
  readonly query: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly principal: Principal;
  readonly form: AsyncIterable<FormPart>;
}

/** A file in a form, while it arrives. It must be read to its end or skipped before the next part is read. */
export interface FormFile {
  readonly kind: 'file';
  readonly name: string;
  /** As the caller sent it: it may contain anything. Null when none was sent. */
  readonly filename: string | null;
  /** To be read once. Throws when the form ends early or is too large, or the caller disconnects. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Discards the content. */
  skip(): void;
}

/** A file, or a short text field. */
export type FormPart = { readonly kind: 'field'; readonly name: string; readonly value: string } | FormFile;

/** What is known about every request. */
export interface ConsoleVisit {
  readonly place: SignInPlace;
  /** Whether it came over TLS. */
  readonly secure: boolean;
  /** Where the browser reaches the gateway, such as `https://gateway.example`. */
  readonly origin: string;
}

/** The same for a signed-in member whose role allows the operation. */
export interface MemberVisit extends ConsoleVisit {
  readonly signedIn: SignedIn;
  /** The secret of the session. */
  readonly cookie: string;
}

/** A request that passed every check, of an open operation and of one for members. */
export type StrangerCall<Id extends ConsoleId> = ConsoleVisit & { readonly call: Call<Id> };
export type MemberCall<Id extends ConsoleId> = MemberVisit & { readonly call: Call<Id> };

/** The account of a member, whose operation is for members of accounts alone. */
export function accountIdOf({ signedIn: { member } }: Pick<MemberVisit, 'signedIn'>): string {
  assert(member.accountId !== null, 'a member without an account got here');
  return member.accountId;
}

/** The member who acts on its account; also for members of accounts alone. */
export function accountActorOf(call: Pick<MemberVisit, 'signedIn'>): AccountActor {
  return { email: call.signedIn.member.email, accountId: accountIdOf(call) };
}

/** A request to any operation, as `http/` hands it over. */
export type ConsoleCall = ConsoleVisit & { readonly call: AnyCall };

/** The call of an operation, by the security and the body that its document says. */
type CallOf<Id extends AnyId> = Id extends ConsoleId
  ? RowOf<Id>['security'] extends 'open'
    ? StrangerCall<Id>
    : MemberCall<Id>
  : RowOf<Id>['security'] extends 'open'
    ? Call<Id>
    : RowOf<Id>['body'] extends 'multipart'
      ? FormCall<Id>
      : SecuredCall<Id>;

/** The handler of an operation. */
export type HandlerFor<Id extends AnyId> = (call: CallOf<Id>) => Promise<ReplyOf<Id>> | ReplyOf<Id>;

/** Handlers of these operations, by name. */
export type HandlersFor<Id extends AnyId> = { readonly [Each in Id]: HandlerFor<Each> };

/** A handler for every operation of openapi.yaml. */
export type Handlers = HandlersFor<PublicId>;

/** Which parts of a call have anything in them. */
type PartsOf<Id extends PublicId> =
  | (keyof ParamsOf<Id> extends never ? never : 'params')
  | (keyof QueryOf<Id> extends never ? never : 'query')
  | (BodyOf<Id> extends undefined ? never : 'body');

/**
 * A handler that needs only its caller's account and reach, and always replies with JSON. The settings and the console
 * call it, too.
 */
export type AccountHandler<Id extends PublicId> = (
  call: Pick<Call<Id>, PartsOf<Id>> & { readonly principal: Pick<Principal, 'account' | 'reach'> },
) => Promise<JsonReply<JsonOf<Id>, 200>>;

/** Such handlers of these operations, by name. */
export type AccountHandlers<Id extends PublicId> = { readonly [Each in Id]: AccountHandler<Each> };

/** A handler of any operation, as `http/` calls it. */
export type AnyHandler = (call: AnyCall) => Promise<Reply> | Reply;

/** These handlers, each of which gets its type from the name of its operation. */
export function handlersOf<Id extends AnyId>(own: HandlersFor<Id>): HandlersFor<Id> {
  return own;
}
