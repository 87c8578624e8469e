/** Alerts of a low balance: below which, and since when. */
import { Fault } from '#base/fault.ts';
import { nanoToUsd, parseUsd } from '#base/money.ts';
import { accountIdOf } from '#contract/console.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { BalanceAlert, BalanceAlerts } from './account-ports.ts';

/** What these handlers need. */
export interface AlertsOptions {
  readonly balanceAlerts: BalanceAlerts;
}

/** listAlerts and setAlerts. */
export function alertsHandlers({ balanceAlerts }: AlertsOptions): HandlersFor<'listAlerts' | 'setAlerts'> {
  return {
    async listAlerts(call) {
      return { status: 200, json: alertList(await balanceAlerts.list(accountIdOf(call))) };
    },

    async setAlerts(call) {
      const { below_usd } = call.call.body;
      const below = below_usd.map((usd) => {
        const amount = parseUsd(String(usd));
        if (amount !== null) return amount;
        throw new Fault('invalid_request', { param: 'below_usd', message: 'below_usd takes at most nine decimals.' });
      });
      const by = { member: call.signedIn.member, accountId: accountIdOf(call) };
      return { status: 200, json: alertList(await balanceAlerts.set(by, below)) };
    },
  };
}

function alertList(alerts: readonly BalanceAlert[]) {
  const data = alerts.map(({ below, crossedAtMs }) => ({
    object: 'alert',
    below_usd: nanoToUsd(below),
    crossed_at: crossedAtMs === null ? null : new Date(crossedAtMs).toISOString(),
  }));
  return { object: 'list', data };
}
