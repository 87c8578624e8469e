/** The alerts of accounts: what each watches, and where its messages go. */
import type { Knex } from 'knex';
import type { AccountActor } from '#access/member.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { formatUsd } from '#base/money.ts';
import { described, type ObjectOf } from '#storage/database/codec.ts';
import { writing } from '#storage/database/transaction.ts';
import { flag, int, intOrNull, money, oneOf, type Row, text, textOrNull } from '#storage/database/values.ts';
import { lockAccount } from '#storage/records/account.ts';
import { LoggedStore } from '../change-log.ts';

/** How many alerts an account may have. */
export const RULES_MAX = 50;

const rules = described({
  id: text,
  accountId: text,
  /** Where its messages go. */
  endpointId: text,
  subject: oneOf(['price', 'balance', 'budget', 'errors']),
  /** Of a price; otherwise null. */
  model: textOrNull,
  /** Of a budget; otherwise null. */
  keyId: textOrNull,
  /** Whether the condition holds above the bound, or below. */
  above: flag,
  /** Nano-dollars; of a share billionths. */
  bound: money,
  paused: flag,
  /** Whether the condition holds, or has not been over for long enough. */
  firing: flag,
  /** When that changed last, or was first found; null before the first look. */
  sinceMs: intOrNull,
  /** Since when the condition of one that fires does not hold; null while it does. */
  recoveringSinceMs: intOrNull,
  createdAtMs: int,
});

/** An alert. */
export type AlertRule = ObjectOf<typeof rules>;
export const ruleFrom = rules.from;

/** What is decided about a new one. */
export type NewRule = Pick<AlertRule, 'endpointId' | 'subject' | 'model' | 'keyId' | 'above' | 'bound'>;

/** Each change is one transaction with its row in the change log. An unknown id is a Fault not_found. */
export class RuleStore extends LoggedStore {
  /** The oldest first. */
  async list(accountId: string): Promise<AlertRule[]> {
    const rows: Row[] = await this.parts.db.knex('alert_rules').where({ account_id: accountId }).orderBy('id');
    return rows.map(ruleFrom);
  }

  /** A new alert. Throws Fault invalid_request (too many, a key without a budget), not_found (no such target or key). */
  create(by: AccountActor, settings: NewRule): Promise<AlertRule> {
    const { accountId } = by;
    return writing(this.parts.db, async (trx) => {
      await lockAccount(trx, accountId);
      const others: string[] = await trx('alert_rules').where({ account_id: accountId }).limit(RULES_MAX).pluck('id');
      if (others.length === RULES_MAX) throw invalidRequest(null, `There are ${RULES_MAX} alerts already; remove one.`);
      await assertOwn(trx, accountId, settings);
      const none = { paused: false, firing: false, sinceMs: null, recoveringSinceMs: null };
      const ids = { id: this.parts.ids.uuid(), accountId, createdAtMs: this.parts.clock.nowMs() };
      const rule: AlertRule = { ...settings, ...none, ...ids };
      await trx('alert_rules').insert(rules.some(rule));
      await this.changes.log(trx, by, { what: 'alert.create', subject: rule.id, before: null, after: shown(rule) });
      return rule;
    });
  }

  /** Pauses an alert, or begins it again as a new one. */
  pause(by: AccountActor, id: string, paused: boolean): Promise<AlertRule> {
    return writing(this.parts.db, async (trx) => {
      await lockAccount(trx, by.accountId);
      const before = await find(trx, by.accountId, id);
      if (before.paused === paused) return before;
      const changed = { paused, firing: false, sinceMs: null, recoveringSinceMs: null };
      await trx('alert_rules').where({ id }).update(rules.some(changed));
      const after = { ...before, ...changed };
      const change = { subject: id, before: shown(before), after: shown(after) };
      await this.changes.log(trx, by, { what: paused ? 'alert.pause' : 'alert.resume', ...change });
      return after;
    });
  }

  /** Removes an alert. */
  async remove(by: AccountActor, id: string): Promise<void> {
    await writing(this.parts.db, async (trx) => {
      await lockAccount(trx, by.accountId);
      const before = await find(trx, by.accountId, id);
      await trx('alert_rules').where({ id }).delete();
      await this.changes.log(trx, by, { what: 'alert.remove', subject: id, before: shown(before), after: null });
    });
  }
}

async function find(trx: Knex.Transaction, accountId: string, id: string): Promise<AlertRule> {
  const row: Row | undefined = await trx('alert_rules').where({ id, account_id: accountId }).first();
  if (!row) throw new Fault('not_found', { message: `There is no alert ${JSON.stringify(id)}.` });
  return ruleFrom(row);
}

/** The target and the key must be of the account. */
async function assertOwn(trx: Knex.Transaction, accountId: string, { endpointId, keyId }: NewRule): Promise<void> {
  const target: Row | undefined = await trx('webhook_endpoints')
    .where({ id: endpointId, account_id: accountId })
    .first('id');
  if (!target) throw new Fault('not_found', { message: `There is no target ${JSON.stringify(endpointId)}.` });
  if (keyId === null) return;
  const key: Row | undefined = await trx('api_keys')
    .where({ id: keyId, account_id: accountId })
    .whereNull('revoked_at_ms')
    .first('budget');
  if (!key) throw new Fault('not_found', { message: `There is no key ${JSON.stringify(keyId)}.` });
  if (key.budget === null) throw invalidRequest('key_id', 'This key has no budget.');
}

function shown({ subject, model, keyId, above, bound, endpointId, paused }: AlertRule): object {
  const direction = above ? 'above' : 'below';
  return { subject, model, key_id: keyId, direction, bound: formatUsd(bound), target_id: endpointId, paused };
}
