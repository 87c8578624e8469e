/** The audit of the ledger: begun, shown, explained; the figures of sales that it counts; and who changed what. */
import { type LoggedChange, newestChanges } from '#accounts/change-log.ts';
import { nanoToUsd } from '#base/money.ts';
import { iso } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import { cursorPage, idBefore } from '#contract/cursor-page.ts';
import type { components } from '#generated/console-api/types.ts';
import type { SoldFigures } from '#storage/audit/sold-money.ts';
import type { Database } from '#storage/database/database.ts';
import { type Row, text } from '#storage/database/values.ts';
import type { AuditRun, BackgroundAudit, ShownFinding } from './background-audit.ts';

type Schemas = components['schemas'];

/** getAudit, runAudit and acknowledgeFinding. */
export function auditHandlers(audits: Pick<BackgroundAudit, 'runs' | 'begin'>) {
  const state = async () => {
    const { running, last, failedAtMs } = await audits.runs.state();
    return {
      object: 'audit',
      running: running && { started_at: iso(running.startedAtMs), by: running.who },
      last: last && runObject(last),
      failed_at: failedAtMs === null ? null : iso(failedAtMs),
    };
  };
  return handlersOf({
    getAudit: async () => ({ status: 200, json: await state() }),

    async runAudit({ signedIn }) {
      await audits.begin(signedIn.member);
      return { status: 202, json: await state() };
    },

    async acknowledgeFinding({ call, signedIn }) {
      const { finding_id, reason } = call.body;
      return { status: 200, json: findingObject(await audits.runs.acknowledge(signedIn.member, finding_id, reason)) };
    },
  });
}

/** getMoney. */
export function moneyHandlers({ runs }: Pick<BackgroundAudit, 'runs'>) {
  return handlersOf({
    async getMoney() {
      const { last } = await runs.state();
      const { days, models } = last?.money ?? { days: [], models: [] };
      const json = {
        object: 'money',
        as_of: last ? iso(last.startedAtMs) : null,
        days: days.map(({ dayMs, ...sold }) => ({ day: iso(dayMs).slice(0, 10), ...soldObject(sold) })),
        models: models.map(({ model, ...sold }) => ({ model, ...soldObject(sold) })),
      };
      return { status: 200, json };
    },
  });
}

function runObject({ who, startedAtMs, endedAtMs, findings, accounts, orders, acknowledged }: AuditRun) {
  return {
    started_at: iso(startedAtMs),
    ended_at: iso(endedAtMs),
    by: who,
    ok: findings.length === 0,
    accounts,
    orders,
    acknowledged,
    findings: findings.map(findingObject),
  };
}

function findingObject({ id, sentence, acknowledged }: ShownFinding): Schemas['AuditFinding'] {
  const known = acknowledged && { by: acknowledged.who, at: iso(acknowledged.atMs), reason: acknowledged.reason };
  return { object: 'finding', finding_id: id, sentence, acknowledged: known };
}

function soldObject({ orders, estimatedOrders, ...money }: SoldFigures) {
  return {
    orders,
    estimated_orders: estimatedOrders,
    charged_usd: nanoToUsd(money.charged),
    estimated_usd: nanoToUsd(money.estimated),
    refunded_usd: nanoToUsd(money.refunded),
    written_off_usd: nanoToUsd(money.writtenOff),
  };
}

/** listChanges. An account that does not exist has no entries. */
export function changeHandlers(db: Database) {
  return handlersOf({
    async listChanges({ call: { query } }) {
      const { limit, account: accountId, cursor } = query;
      const scope = `audit log ${JSON.stringify(accountId)}`;
      const found = await newestChanges(db, { accountId, limit: limit + 1, after: idBefore(scope, cursor) });
      const { page, more } = cursorPage(found, { limit, scope }, ({ id }) => [id]);
      const names = await accountNames(db, page);
      const data = page.map((change) => changeObject(change, names.get(change.accountId ?? '') ?? null));
      return { status: 200, json: { object: 'list', data, ...more } };
    },
  });
}

async function accountNames({ knex }: Database, page: readonly LoggedChange[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(page.flatMap(({ accountId }) => accountId ?? []));
  const rows: Row[] = await knex('accounts')
    .whereIn('id', [...ids])
    .select('id', 'name');
  return new Map(rows.map(({ id, name }) => [text(id), text(name)]));
}

function changeObject(
  { id, atMs, accountId, who, what, subject, before, after }: LoggedChange,
  accountName: string | null,
) {
  return {
    object: 'change',
    id,
    at: iso(atMs),
    who,
    what,
    account_id: accountId,
    account_name: accountName,
    subject,
    before: before && { ...before },
    after: after && { ...after },
  };
}
