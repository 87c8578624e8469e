/**
 * Tokens of the operator: what scripts send to the console's API instead of a session. Each has scopes, ends at a time, and
 * is stored as a hash. Making and revoking one is a transaction with its row in the audit log.
 */
import { type Actor, type OperatorToken, type TokenScope, tokenScopes } from '#access/member.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { DAY_MS } from '#base/time.ts';
import { codec } from '#storage/database/codec.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { int, intOrNull, json, type Row, text } from '#storage/database/values.ts';
import { LoggedStore } from '../change-log.ts';
import { hashSecret, isSecret, newSecret } from './secrets.ts';

/** How long a token may work. */
export const TOKEN_MS_MAX = 366 * DAY_MS;
const TOKENS_MAX = 1_000;
const PREFIX = 'sluice-op-';
/** It stands in the log beside e-mail addresses. */
const NAME = /^[\w.-]{1,64}$/;

const { from: tokenFrom, some: tokenColumns } = codec<OperatorToken>({
  id: text,
  name: text,
  scopes: json(),
  expiresAtMs: int,
  createdAtMs: int,
  revokedAtMs: intOrNull,
});

/** Whether `secret` has the form of a token; if not, it need not be looked up. */
export function isTokenSecret(secret: string): boolean {
  return secret.startsWith(PREFIX) && isSecret(secret.slice(PREFIX.length));
}

/** Makes, lists, finds and revokes them. */
export class OperatorTokens extends LoggedStore {
  /**
   * Makes a token; its secret is returned only this once. Throws Fault invalid_request: a name that is none or was used
   * before, no scope, an end that is past or over a year away, or too many tokens.
   */
  async create(
    { name, scopes, expiresAtMs }: Pick<OperatorToken, 'name' | 'scopes' | 'expiresAtMs'>,
    by: Actor,
  ): Promise<{ readonly token: OperatorToken; readonly secret: string }> {
    const nowMs = this.parts.clock.nowMs();
    if (!NAME.test(name))
      throw invalidRequest('name', 'A name has 1 to 64 letters, digits, dots, dashes or underscores.');
    if (scopes.length === 0)
      throw invalidRequest('scopes', `A token has some of the scopes ${tokenScopes.join(', ')}.`);
    if (expiresAtMs <= nowMs || expiresAtMs > nowMs + TOKEN_MS_MAX)
      throw invalidRequest('expires', 'A token ends in the future, at most 366 days from now.');
    const secret = PREFIX + newSecret();
    const token = {
      id: this.parts.ids.uuid(),
      name,
      scopes: sorted(scopes),
      expiresAtMs,
      createdAtMs: nowMs,
      revokedAtMs: null,
    };
    await writing(this.parts.db, async (trx) => {
      await takeTurn(trx, 'members');
      const names: string[] = await trx('operator_tokens').pluck('name');
      if (names.some((known) => known.toLowerCase() === name.toLowerCase()))
        throw invalidRequest('name', `There is or was a token ${name}; give this one another name.`);
      if (names.length >= TOKENS_MAX) throw invalidRequest(null, `There are ${TOKENS_MAX} tokens already.`);
      await trx('operator_tokens').insert({ ...tokenColumns(token), hash: hashSecret(secret) });
      await this.changes.log(trx, by, { what: 'token.create', subject: token.id, before: null, after: shown(token) });
    });
    return { token, secret };
  }

  /** All of them, the oldest first. */
  async list(): Promise<OperatorToken[]> {
    return (await this.parts.db.knex('operator_tokens').orderBy('id')).map(tokenFrom);
  }

  /** Ends a token, by its id or name, for good; again, nothing changes. Throws Fault not_found. */
  revoke(named: string, by: Actor): Promise<OperatorToken> {
    return writing(this.parts.db, async (trx) => {
      await takeTurn(trx, 'members');
      const row: Row | undefined = await trx('operator_tokens').where({ id: named }).orWhere({ name: named }).first();
      if (!row)
        throw new Fault('not_found', {
          message: `There is no token ${JSON.stringify(named)}; sluice operator-token list has them.`,
        });
      const before = tokenFrom(row);
      if (before.revokedAtMs !== null) return before;
      const after = { ...before, revokedAtMs: this.parts.clock.nowMs() };
      await trx('operator_tokens').where({ id: before.id }).update({ revoked_at_ms: after.revokedAtMs });
      await this.changes.log(trx, by, { what: 'token.revoke', subject: before.id, before: shown(before), after: null });
      return after;
    });
  }

  /** The token with this secret; null when there is none, or it has ended. */
  async find(secret: string): Promise<OperatorToken | null> {
    const row: Row | undefined = await this.parts.db
      .knex('operator_tokens')
      .where({ hash: hashSecret(secret) })
      .first();
    const token = row ? tokenFrom(row) : null;
    return token && token.revokedAtMs === null && token.expiresAtMs > this.parts.clock.nowMs() ? token : null;
  }
}

function sorted(scopes: readonly TokenScope[]): TokenScope[] {
  return tokenScopes.filter((scope) => scopes.includes(scope));
}

/** What the log says of a token. */
function shown({ name, scopes, expiresAtMs }: OperatorToken): object {
  return { name, scopes, expires_at: new Date(expiresAtMs).toISOString() };
}
