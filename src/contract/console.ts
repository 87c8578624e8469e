/** What a handler of the settings and the console gets. */
import assert from 'node:assert';
import type { AccountActor, SignedIn, SignInPlace } from '#access/member.ts';
import type { AnyCall, Call } from './call.ts';
import type { ConsoleId } from './operation.ts';

/** What is known of every request. */
export interface ConsoleVisit {
  readonly place: SignInPlace;
  /** Whether it came over TLS. */
  readonly secure: boolean;
  /** Where the browser reaches the gateway, such as `https://gateway.example`. */
  readonly origin: string;
}

/** The same of a signed-in member whose role allows the operation. */
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

/** The member who acts on its account; for members of accounts alone, too. */
export function accountActorOf(call: Pick<MemberVisit, 'signedIn'>): AccountActor {
  return { email: call.signedIn.member.email, accountId: accountIdOf(call) };
}

/** A request to any operation, as `http/` hands it over. */
export type ConsoleCall = ConsoleVisit & { readonly call: AnyCall };
