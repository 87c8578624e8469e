/** The storage that signing in needs. Each change and its row in the audit log are one transaction. */

import type { AccountChange, ConsoleMember, MemberPlace, MemberSession, SignedIn } from '#access/member.ts';
import type { ApiKey, KeySettings } from '#access/principal.ts';
import type { NanoUsd } from '#base/money.ts';

/** A session to be opened, with the hash of its cookie. */
export interface NewMemberSession extends Omit<MemberSession, 'memberId' | 'seenAtMs'> {
  readonly hash: string;
  /** The hash of the cookie that came with the request: that session ends, whoever opened it. */
  readonly replaces: string | null;
}

/** Times before which a session counts as ended. */
export interface SessionBounds {
  readonly seenAfterMs: number;
  readonly openedAfterMs: number;
}

/** Sessions, and what opens them. */
export interface SessionStore {
  /** The member with this e-mail; null for none. */
  memberByEmail(email: string): Promise<ConsoleMember | null>;
  /** Uses up the link with this hash and opens the session; null when there is no such link, or it ended or was used. */
  openByLink(linkHash: string, session: NewMemberSession): Promise<SignedIn | null>;
  /** Opens the session of a member who typed the password of this hash; null when the member or the password is gone. */
  openByPassword(member: ConsoleMember, session: NewMemberSession): Promise<SignedIn | null>;
  /** Sets the password; all other sessions of the member end, and its link. */
  setPassword(signedIn: SignedIn, passwordHash: string): Promise<void>;
  /** Whether the member with this e-mail has or had a session with this hash, as long as it is remembered. */
  hadSession(email: string, hash: string): Promise<boolean>;
  /** The session with this hash, within the bounds and not revoked, and its member; null for none. */
  find(hash: string, bounds: SessionBounds): Promise<SignedIn | null>;
  /** The sessions of a member within the bounds, the newest first. */
  list(memberId: string, bounds: SessionBounds): Promise<MemberSession[]>;
  /** Notes that the session is in use. */
  touch(id: string, nowMs: number): Promise<void>;
  /** Ends a session of this member; false when it has no such session. */
  end(signedIn: SignedIn, id: string): Promise<boolean>;
}

/** A key, and what is known of its use. */
export interface UsedKey {
  readonly key: ApiKey;
  /** When it last placed an order, as far as the newest orders of the account tell; null when they do not. */
  readonly lastUsedAtMs: number | null;
  /** What its orders cost today and this month (UTC), net of refunds. */
  readonly spent: { readonly today: NanoUsd; readonly month: NanoUsd };
}

/** The keys of an account, for its members. */
export interface MemberKeys {
  /** How many active keys an account may have. */
  readonly activeMax: number;
  /** The active keys, oldest first. */
  list(accountId: string): Promise<UsedKey[]>;
  /** A new key and, only this once, its secret. Throws Fault too_many_keys, account_suspended, invalid_request. */
  create(by: AccountChange, settings: KeySettings): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Changes an active key of this account. Throws Fault not_found, invalid_request. */
  update(by: AccountChange, id: string, settings: KeySettings): Promise<void>;
  /** A new secret, only this once; the one before is accepted for `overlapMs` more. Throws Fault not_found. */
  rotate(by: AccountChange, id: string, overlapMs: number): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Revokes an active key of this account. Throws Fault not_found. */
  revoke(by: AccountChange, id: string): Promise<void>;
}

/** A member and the token of its link, shown only this once. */
export interface Invitation {
  readonly member: ConsoleMember;
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Who invites or removes a member. */
export interface MemberActor {
  /** An e-mail address, or the command line, as the audit log says it. */
  readonly who: string;
  /**
   * Whether it is the operator, who is told that an address is a member elsewhere, and may leave an account without an
   * owner.
   */
  readonly operator: boolean;
}

/** The members of an account. `by` is who acts: an owner of it by e-mail, or anybody. */
export interface AccountMembers {
  /** By e-mail. */
  listOf(accountId: string): Promise<ConsoleMember[]>;
  /** Throws Fault invalid_request (the address). One that is a member elsewhere gets a link that is not valid. */
  invite(address: string, place: MemberPlace, by: string | MemberActor): Promise<Invitation>;
  /** Throws Fault not_found. */
  removeOf(accountId: string, id: string, by: string | MemberActor): Promise<ConsoleMember>;
}

/** What was charged on a day (UTC, counted from the epoch), for one model and key, net of refunds. */
export interface UsageDay {
  readonly day: number;
  readonly model: string;
  /** Null for orders of no key. */
  readonly keyId: string | null;
  /** As it is now. */
  readonly keyName: string | null;
  readonly requests: number;
  readonly charged: NanoUsd;
}

/** The sums of usage by day. */
export interface UsageDays {
  /** Of the days from `first` to `last`, the newest first, at most `limit`. */
  list(
    accountId: string,
    period: { readonly first: number; readonly last: number; readonly limit: number },
  ): Promise<UsageDay[]>;
}
