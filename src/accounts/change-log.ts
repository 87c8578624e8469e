/**
 * The log of what people change: who, what, before, after. A row is written in the transaction of its change, so that
 * neither is there without the other. Nothing in the product changes or deletes a row.
 */
import type { Knex } from 'knex';
import { type Actor, COMMAND_LINE } from '#access/member.ts';
import { column, described, type ObjectOf } from '#storage/database/codec.ts';
import type { Database, OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, json, name, orNull, text, textOrNull } from '#storage/database/values.ts';

const changes = described({
  /** A UUIDv7: rows are in order of time. */
  id: text,
  atMs: int,
  /** The account that is concerned; null for a change that concerns none. */
  accountId: textOrNull,
  /** The e-mail of the member, or COMMAND_LINE. */
  who: text,
  /** A verb and its object, such as `key.create`. */
  what: text,
  /** The id of what was changed. */
  subject: name(255),
  /** Null for what did not exist. */
  before: column('before_json', orNull(json<object>())),
  /** Null if it does not exist any more. */
  after: column('after_json', orNull(json<object>())),
});

/** One change, without secrets. */
export type LoggedChange = ObjectOf<typeof changes>;

/** What a store logs of a change. */
export interface NewChange extends Pick<LoggedChange, 'what' | 'subject' | 'before' | 'after'> {
  /** The account concerned, if it is not the account of the acting member. */
  readonly accountId?: string | null;
}

/** More changes in a range are not told apart in a chart of it. */
const SINCE_MAX = 200;

/** Adds a row to the log, in the transaction of the change. */
export async function logChange(trx: Knex.Transaction, change: LoggedChange): Promise<void> {
  await trx('audit_log').insert(changes.some(change));
}

/** Logs what members change, and what the command line does where it is logged, too. */
export class ChangeLog {
  readonly #parts: OperatorOptions;

  constructor(parts: OperatorOptions) {
    this.#parts = parts;
  }

  /** Adds a row, in the transaction of the change. */
  async log(trx: Knex.Transaction, by: Actor, change: NewChange): Promise<void> {
    const { email, accountId } = by === COMMAND_LINE ? { email: by, accountId: null } : by;
    await logChange(trx, {
      id: this.#parts.ids.uuid(),
      atMs: this.#parts.clock.nowMs(),
      accountId,
      who: email,
      ...change,
    });
  }

  /** The same for a log that has only changes by members: it records nothing for the command line. */
  async logByMember(trx: Knex.Transaction, by: Actor, change: NewChange): Promise<void> {
    if (by !== COMMAND_LINE) await this.log(trx, by, change);
  }

  /** The newest changes of these kinds at `fromMs` or later, at most 200, in any order. */
  async since(fromMs: number, kinds: readonly string[]): Promise<LoggedChange[]> {
    const found = this.#parts.db
      .knex('audit_log')
      .whereIn('what', [...kinds])
      .where('at_ms', '>=', fromMs);
    return (await found.orderBy('at_ms', 'desc').limit(SINCE_MAX)).map(changes.from);
  }

  /** Adds a row about a change outside the database, before the change is made. */
  note(by: Actor, change: NewChange): Promise<void> {
    return writing(this.#parts.db, (trx) => this.log(trx, by, change));
  }
}

/** A store of what people change. Each change is one transaction with its row in the log. */
export class LoggedStore {
  protected readonly parts: OperatorOptions;
  protected readonly changes: ChangeLog;

  constructor(parts: OperatorOptions) {
    this.parts = parts;
    this.changes = new ChangeLog(parts);
  }
}

/** Logs what this process changed by an outside request, as a change of the command line. */
export function logOwnChange(parts: OperatorOptions, change: Pick<LoggedChange, 'what' | 'after'>): Promise<void> {
  return new ChangeLog(parts).note(COMMAND_LINE, { ...change, subject: `process ${process.pid}`, before: null });
}

/** The newest changes first, all or those of an account; with `after` those that are older than the change with this id. */
export async function newestChanges(
  { knex }: Database,
  page: { readonly accountId: string | null; readonly limit: number; readonly after?: string | null },
): Promise<LoggedChange[]> {
  const { accountId, limit, after = null } = page;
  const rows = knex('audit_log').orderBy('id', 'desc').limit(limit);
  if (after !== null) rows.where('id', '<', after);
  return (accountId === null ? await rows : await rows.where({ account_id: accountId })).map(changes.from);
}
