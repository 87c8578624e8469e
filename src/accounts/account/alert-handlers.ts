/** Alerts of a low balance: below which, and since when. */
import { Fault } from '#base/fault.ts';
import { nanoToUsd, parseUsd } from '#base/money.ts';
import { accountIdOf, type MemberHandler } from '#contract/console-call.ts';
import type { components } from '#generated/console-api/types.ts';
import type { BalanceAlert, BalanceAlerts } from './account-ports.ts';

/** What these handlers need. */
export interface AlertsOptions {
  readonly balanceAlerts: BalanceAlerts;
}

/** listAlerts and setAlerts. */
export function alertsHandlers({ balanceAlerts }: AlertsOptions): {
  readonly listAlerts: MemberHandler;
  readonly setAlerts: MemberHandler;
} {
  return {
    async listAlerts(call) {
      return reply(await balanceAlerts.list(accountIdOf(call)));
    },

    async setAlerts(call) {
      const { below_usd } = call.call.body as components['schemas']['AlertsSet'];
      const below = below_usd.map((usd) => {
        const amount = parseUsd(String(usd));
        if (amount !== null) return amount;
        throw new Fault('invalid_request', { param: 'below_usd', message: 'below_usd takes at most nine decimals.' });
      });
      const by = { member: call.signedIn.member, accountId: accountIdOf(call) };
      return reply(await balanceAlerts.set(by, below));
    },
  };
}

function reply(alerts: readonly BalanceAlert[]) {
  const data = alerts.map(({ below, crossedAtMs }) => ({
    object: 'alert',
    below_usd: nanoToUsd(below),
    crossed_at: crossedAtMs === null ? null : new Date(crossedAtMs).toISOString(),
  }));
  return { status: 200, json: { object: 'list', data } };
}
