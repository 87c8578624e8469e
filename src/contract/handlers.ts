/**
 * The type of every handler, from the documents. The type check finds a missing handler, a handler of no operation, a
 * field that its body does not have, a reply that is not documented, and a principal where no key is required.
 */
import type { Principal } from '#access/principal.ts';
import type { AnyCall, Call, FormCall, SecuredCall } from './call.ts';
import type { MemberCall, StrangerCall } from './console.ts';
import type { AnyId, BodyOf, ConsoleId, ParamsOf, PublicId, QueryOf, RowOf } from './operation.ts';
import type { JsonOf, JsonReply, Reply, ReplyOf } from './reply.ts';

/** The call of an operation, by the security and the body that its document says. */
export type CallOf<Id extends AnyId> = Id extends ConsoleId
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

/** These handlers, each of which gets its type from the name of its operation. */
export function handlersOf<Id extends AnyId>(own: HandlersFor<Id>): HandlersFor<Id> {
  return own;
}

/** A handler for every operation of openapi.yaml. */
export type Handlers = HandlersFor<PublicId>;

/** Which parts of a call have anything in them. */
type PartsOf<Id extends PublicId> =
  | (keyof ParamsOf<Id> extends never ? never : 'params')
  | (keyof QueryOf<Id> extends never ? never : 'query')
  | (BodyOf<Id> extends undefined ? never : 'body');

/** A handler that needs only the account of its caller and always replies with JSON: the settings and the console call it too. */
export type AccountHandler<Id extends PublicId> = (
  call: Pick<Call<Id>, PartsOf<Id>> & { readonly principal: Pick<Principal, 'account'> },
) => Promise<JsonReply<JsonOf<Id>, 200>>;

/** Such handlers of these operations, by name. */
export type AccountHandlers<Id extends PublicId> = { readonly [Each in Id]: AccountHandler<Each> };

/** A handler of any operation, as `http/` calls it. */
export type AnyHandler = (call: AnyCall) => Promise<Reply> | Reply;
