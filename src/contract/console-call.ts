/** What a handler of the settings and the console gets, and the table of these handlers, typed by the second document. */
import assert from 'node:assert';
import type { SignedIn, SignInPlace } from '#access/member.ts';
import type { OperationId, operations } from '#generated/console-api/operations.ts';
import type { Call, Reply } from './call.ts';

/** A request that passed every check. */
export interface ConsoleCall {
  readonly call: Call;
  readonly place: SignInPlace;
  /** Whether it came over TLS. */
  readonly secure: boolean;
  /** Where the browser reaches the gateway, such as `https://gateway.example`. */
  readonly origin: string;
}

/** The same of a signed-in member whose role allows the operation. */
export interface MemberCall extends ConsoleCall {
  readonly signedIn: SignedIn;
  /** The secret of the session. */
  readonly cookie: string;
}

/** The handlers of an operation that is open, and of one for members. */
export type StrangerHandler = (call: ConsoleCall) => Promise<Reply> | Reply;
export type MemberHandler = (call: MemberCall) => Promise<Reply> | Reply;

/** The account of a member, whose operation is for members of accounts alone. */
export function accountIdOf({ signedIn: { member } }: MemberCall): string {
  assert(member.accountId !== null, 'a member without an account got here');
  return member.accountId;
}

/** A handler for every operation of openapi/console.yaml. */
export type ConsoleHandlers = {
  readonly [Id in OperationId]: (typeof operations)[Id]['security'] extends 'open' ? StrangerHandler : MemberHandler;
};
