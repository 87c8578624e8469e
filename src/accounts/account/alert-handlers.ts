/** Alerts of a low balance: below which, and since when. */

import { invalidRequest } from '#base/fault.ts';
import { nanoToUsd, parseUsd } from '#base/money.ts';
import { isoOrNull } from '#base/time.ts';
import { accountIdOf, changeBy } from '#contract/console.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { BalanceAlert, BalanceAlerts } from './account-ports.ts';

/** listAlerts and setAlerts. */
export function alertsHandlers({
  balanceAlerts,
}: {
  readonly balanceAlerts: BalanceAlerts;
}): HandlersFor<'listAlerts' | 'setAlerts'> {
  return {
    async listAlerts(call) {
      return { status: 200, json: alertList(await balanceAlerts.list(accountIdOf(call))) };
    },

    async setAlerts(call) {
      const { below_usd } = call.call.body;
      const below = below_usd.map((usd) => {
        const amount = parseUsd(String(usd));
        if (amount !== null) return amount;
        throw invalidRequest('below_usd', 'below_usd takes at most nine decimals.');
      });
      return { status: 200, json: alertList(await balanceAlerts.set(changeBy(call), below)) };
    },
  };
}

function alertList(alerts: readonly BalanceAlert[]) {
  const data = alerts.map(({ below, crossedAtMs }) => ({
    object: 'alert',
    below_usd: nanoToUsd(below),
    crossed_at: isoOrNull(crossedAtMs),
  }));
  return { object: 'list', data };
}
