/**
 * The log of what people change: who, what, before, after. A row is written in the transaction of its change, so that
 * neither is there without the other. Nothing in the product changes or deletes a row.
 */
import type { Knex } from 'knex';
import type { ConsoleMember } from '#access/member.ts';
import type { Clock } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';
import { codec, column } from '#storage/database/codec.ts';
import type { Database, OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, json, orNull, text, textOrNull } from '#storage/database/values.ts';

/** Who changes something from the command line, where nobody signs in. */
export const COMMAND_LINE = 'command line';

/** One change, without secrets. */
export interface LoggedChange {
  /** A UUIDv7: rows are in order of time. */
  readonly id: string;
  readonly atMs: number;
  /** The account that is concerned; null for a change that concerns none. */
  readonly accountId: string | null;
  /** The e-mail of the member, or COMMAND_LINE. */
  readonly who: string;
  /** A verb and its object, such as `key.create`. */
  readonly what: string;
  /** The id of what was changed. */
  readonly subject: string;
  /** Null for what did not exist. */
  readonly before: object | null;
  /** Null for what does not exist any more. */
  readonly after: object | null;
}

const { from: changeFrom, some: changeColumns } = codec<LoggedChange>({
  id: text,
  atMs: int,
  accountId: textOrNull,
  who: text,
  what: text,
  subject: text,
  before: column('before_json', orNull(json())),
  after: column('after_json', orNull(json())),
});

/** Writes to the audit log what a member is about to change outside of the database. */
export interface ChangeNotes {
  note(
    by: ConsoleMember,
    change: Pick<LoggedChange, 'what' | 'subject' | 'before' | 'after'> & { readonly accountId?: string },
  ): Promise<void>;
}

/** Reads of the audit log. */
export interface ChangeHistory {
  /** The newest first, before the entry `after`; of all, or of what concerns an account. */
  list(
    accountId: string | null,
    page: { readonly limit: number; readonly after: string | null },
  ): Promise<LoggedChange[]>;
}

/** Adds a row to the log, in the transaction of the change. */
export async function logChange(trx: Knex.Transaction, change: LoggedChange): Promise<void> {
  await trx('audit_log').insert(changeColumns(change));
}

/** Logs what signed-in members change. */
export interface ChangeLogger {
  log(
    trx: Knex.Transaction,
    member: ConsoleMember,
    /** `accountId`: the account that is concerned, where it is not the member's own. */
    change: Pick<LoggedChange, 'what' | 'subject' | 'before' | 'after'> & Partial<Pick<LoggedChange, 'accountId'>>,
  ): Promise<void>;
}

/** A logger with these ids and times. */
export function changeLogger({ clock, ids }: { readonly clock: Clock; readonly ids: IdSource }): ChangeLogger {
  return {
    log: (trx, { accountId, email }, change) =>
      logChange(trx, { id: ids.uuid(), atMs: clock.nowMs(), accountId, who: email, ...change }),
  };
}

/** Logs changes of what is not in the database; each is a transaction of its own. */
export function createChangeNotes(options: OperatorOptions): ChangeNotes {
  const changes = changeLogger(options);
  return { note: (member, change) => writing(options.db, (trx) => changes.log(trx, member, change)) };
}

/** Logs what this process was told to change from outside, as a change of the command line. */
export async function logOwnChange(
  { db, clock, ids }: OperatorOptions,
  change: Pick<LoggedChange, 'what' | 'after'>,
): Promise<void> {
  const subject = `process ${process.pid}`;
  const row = { ...change, subject, who: COMMAND_LINE, accountId: null, before: null };
  await writing(db, (trx) => logChange(trx, { ...row, id: ids.uuid(), atMs: clock.nowMs() }));
}

/** The newest changes first, all or those of an account; with `after` those that are older than the change with this id. */
export async function newestChanges(
  { knex }: Database,
  page: { readonly accountId: string | null; readonly limit: number; readonly after?: string | null },
): Promise<LoggedChange[]> {
  const { accountId, limit, after = null } = page;
  const rows = knex('audit_log').orderBy('id', 'desc').limit(limit);
  if (after !== null) rows.where('id', '<', after);
  return (accountId === null ? await rows : await rows.where({ account_id: accountId })).map(changeFrom);
}
