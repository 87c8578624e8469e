/** The account as a whole: its keys suspended, all of its data exported, and its end. */

import type { AccessStore } from '#access/ports.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { accountIdOf, changeBy, type MemberVisit } from '#contract/console.ts';
import type { AccountHandlers, HandlersFor } from '#contract/handlers.ts';
import type { QueryOf } from '#contract/operation.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import type { AccountBooks, EntryKey } from '../ledger/book-types.ts';
import { entryObject } from '../ledger/handlers.ts';
import { noCookie } from '../members/cookie.ts';
import type { Payments } from '../payments/payments.ts';
import type { MemberTopUps } from '../payments/top-up-ports.ts';
import type { AccountExport, OwnAccount } from './account-ports.ts';

/** What these handlers need. */
export interface OwnAccountOptions {
  readonly ownAccount: OwnAccount;
  readonly accountExport: AccountExport;
  readonly access: Pick<AccessStore, 'account'>;
  readonly books: Pick<AccountBooks, 'entries'>;
  /** The handlers of /v1. */
  readonly calls: AccountHandlers<'listOrders'>;
  readonly memberTopUps: Pick<MemberTopUps, 'find'>;
  readonly payments: Payments | null;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly log: Log;
}

/** Each reads the database for as long as its reader takes. */
const EXPORTS_AT_ONCE = 2;
const PAGE = 500;

/** suspendKeys, resumeKeys, closeAccount and exportAccount. */
export function ownAccountHandlers(
  options: OwnAccountOptions,
): HandlersFor<'suspendKeys' | 'resumeKeys' | 'closeAccount' | 'exportAccount'> {
  const { ownAccount, authenticator } = options;
  const running = { exports: 0 };
  const paused = async (call: MemberVisit, to: boolean) => {
    const { id, name, status } = await ownAccount.pause(changeBy(call), to);
    authenticator.forget(id);
    return { status: 200 as const, json: { object: 'account', account_id: id, name, status } };
  };
  return {
    suspendKeys: (call) => paused(call, true),

    resumeKeys: (call) => paused(call, false),

    async closeAccount(call) {
      const by = changeBy(call);
      const { card } = await options.memberTopUps.find(by.accountId);
      await ownAccount.close(by, call.call.body.name);
      authenticator.forget(by.accountId);
      // Nothing charges it any more, whether the provider hears of it or not; what fails is logged there.
      if (card) await options.payments?.forget(card).catch(() => {});
      return { status: 204, headers: { 'set-cookie': noCookie(call.secure) } };
    },

    exportAccount(call) {
      if (running.exports >= EXPORTS_AT_ONCE) throw new Fault('rate_limit_error', { retryAfterS: 10 });
      const headers = {
        'content-type': 'application/x-ndjson',
        'content-disposition': 'attachment; filename="sluice-account.jsonl"',
      };
      return { status: 200, headers, length: null, bytes: exportOf(accountIdOf(call), options, running) };
    },
  };
}

/** Every line, a page at a time. It counts from its first read: a reply that nobody reads is none. */
async function* exportOf(
  accountId: string,
  options: OwnAccountOptions,
  running: { exports: number },
): AsyncGenerator<Uint8Array> {
  running.exports++;
  try {
    for await (const lines of options.accountExport.lines(accountId)) yield bytesOf(lines);
    for await (const lines of entriesOf(accountId, options)) yield bytesOf(lines);
    for await (const lines of ordersOf(accountId, options)) yield bytesOf(lines);
  } finally {
    running.exports--;
  }
}

async function* entriesOf(accountId: string, { books }: OwnAccountOptions): AsyncGenerator<readonly object[]> {
  for (let after: EntryKey | null = null; ; ) {
    const page = await books.entries(accountId, { only: null, limit: PAGE, after });
    if (page.length > 0) yield page.map(entryObject);
    after = page.at(-1) ?? null;
    if (page.length < PAGE) return;
  }
}

const EVERY_ORDER: QueryOf<'listOrders'> = {
  ...{ status: null, model: null, kind: null, batch: null, id: null, from: null, to: null, cursor: null },
  include: new Set(['usage', 'pricing'] as const),
  limit: PAGE,
};

async function* ordersOf(accountId: string, { access, calls }: OwnAccountOptions): AsyncGenerator<readonly object[]> {
  const account = await access.account(accountId);
  if (!account) return;
  let cursor: string | null = null;
  for (let more = true; more; ) {
    const query: QueryOf<'listOrders'> = { ...EVERY_ORDER, cursor };
    const { data, next_cursor } = (await calls.listOrders({ principal: { account }, query })).json;
    if (data.length > 0) yield data.map((order) => ({ object: 'order', ...order }));
    more = next_cursor !== null;
    cursor = next_cursor;
  }
}

function bytesOf(lines: readonly object[]): Uint8Array {
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
