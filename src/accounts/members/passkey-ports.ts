/** Passkeys, and the storage that they need. Each change and its row in the audit log are one transaction. */

import type { SignedIn } from '#access/member.ts';
import type { NewMemberSession } from './ports.ts';

/** A stored passkey: what the authenticator's signatures are checked with. None of it is secret. */
export interface Passkey {
  readonly id: string;
  readonly memberId: string;
  /** As the browser names it, in base64url. */
  readonly credentialId: string;
  /** COSE, in base64url. */
  readonly publicKey: string;
  /** What the authenticator counted at its last use; 0 for ever where it does not count. */
  readonly counter: number;
  /** The host that it is bound to. */
  readonly host: string;
  /** What its member calls it. */
  readonly name: string;
  readonly createdAtMs: number;
  readonly usedAtMs: number | null;
}

/** The passkeys in storage. */
export interface PasskeyStore {
  /** The passkeys of a member, the oldest first. */
  list(memberId: string): Promise<Passkey[]>;
  /** The passkey with this credential and the e-mail of its member; null for none. */
  find(credentialId: string): Promise<{ readonly passkey: Passkey; readonly email: string } | null>;
  /** Adds it. Throws Fault invalid_request for one that is known, or too many. */
  add(signedIn: SignedIn, passkey: Passkey): Promise<void>;
  /** The renamed passkey; null when the member has none with this id. */
  rename(signedIn: SignedIn, id: string, name: string): Promise<Passkey | null>;
  /** False when the member has none with this id. */
  remove(signedIn: SignedIn, id: string): Promise<boolean>;
  /** Keeps the counter and opens the session; null when the passkey was used meanwhile, or is gone. */
  open(passkey: Passkey, counter: number, session: NewMemberSession): Promise<SignedIn | null>;
  /** Logs a signature that is right and whose counter has not moved on: the passkey has been copied. */
  noteCopy(passkey: Passkey, counter: number): Promise<void>;
}
