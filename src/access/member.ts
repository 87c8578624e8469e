/**
 * Members: the people who may sign in. A member is one e-mail address with one role, in an account or with the
 * operator, and never in two places: a person who buys and sells uses two addresses. What each role may do is not here
 * but in `x-roles` of openapi/console.yaml.
 */
import { Fault } from '#base/fault.ts';

/** The roles in an account: everything; keys, but no money; looking on. */
export const accountRoles = ['owner', 'developer', 'viewer'] as const;
/** The roles with the operator: everything; money; looking on. */
export const operatorRoles = ['operator', 'finance', 'viewer'] as const;

export type AccountRole = (typeof accountRoles)[number];
export type OperatorRole = (typeof operatorRoles)[number];

/** A stored member. */
export interface ConsoleMember {
  readonly id: string;
  /** In lower case; unique among all members. */
  readonly email: string;
  /** Null for a member of the operator. */
  readonly accountId: string | null;
  readonly role: AccountRole | OperatorRole;
  /** The hash of the password; null for none. */
  readonly passwordHash: string | null;
  readonly createdAtMs: number;
  /** When it first signed in; null for one that was only invited. */
  readonly joinedAtMs: number | null;
  /** When the operator last made a link for it after it had signed in; null for never. */
  readonly linkMadeAtMs: number | null;
}

/** Where a new member belongs, with a role that exists there. */
export type MemberPlace =
  | { readonly accountId: string; readonly role: AccountRole }
  | { readonly accountId: null; readonly role: OperatorRole };

/** How a session was opened. */
export const signInMethods = ['link', 'password', 'passkey', 'provider'] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** A stored session. The cookie itself is not stored. */
export interface MemberSession {
  /** Names it in lists; not a secret. */
  readonly id: string;
  readonly memberId: string;
  readonly method: SignInMethod;
  readonly openedAtMs: number;
  /** To the minute. */
  readonly seenAtMs: number;
  /** Where it was opened. */
  readonly address: string;
  readonly agent: string;
}

/** A member with a session. */
export interface SignedIn {
  readonly member: ConsoleMember;
  readonly session: MemberSession;
}

/** What a token of the operator may do: look on; change what is no money; credit, refund and debit. */
export const tokenScopes = ['read', 'operate', 'money'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** A stored token of the operator, for scripts; the secret itself is not stored. */
export interface OperatorToken {
  readonly id: string;
  /** Unique, also among tokens that have ended: the log names it. */
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly expiresAtMs: number;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
}

/** Where a sign-in comes from. */
export interface SignInPlace {
  readonly address: string;
  /** The User-Agent, '' for none. */
  readonly agent: string;
  /** The cookie that came with it: its session ends; null for none. */
  readonly cookie: string | null;
}

/** A longer address does not exist (RFC 5321, 4.5.3.1.3). */
const EMAIL_CHARACTERS_MAX = 254;
const EMAIL = /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u;

/** An e-mail address in the form in which it is stored. Throws Fault invalid_request for anything else. */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length > EMAIL_CHARACTERS_MAX || !EMAIL.test(email))
    throw new Fault('invalid_request', {
      param: 'email',
      message: 'email must be an address such as ada@example.com.',
    });
  return email;
}

/** The operator at the command line, where nobody signs in. */
export const COMMAND_LINE = 'command line';

/** A member who acts on the account that it belongs to. */
export interface AccountActor {
  readonly email: string;
  readonly accountId: string;
}

/** A signed-in member, whose `accountId` is null for a member of the operator, or the operator at the command line. */
export type Actor = { readonly email: string; readonly accountId: string | null } | typeof COMMAND_LINE;

/** Whether the operator acts: a member of the operator, or the command line. */
export function isOperator(by: Actor): boolean {
  return by === COMMAND_LINE || by.accountId === null;
}
