/** The accounts of a live market: those of the simulated traders, by the same names, with a key each. */
import type { Site } from '#testing/gateway-process.ts';

/** How many accounts there are of each kind. */
export interface Crowd {
  readonly traders: number;
  readonly attackers: number;
}

/** The largest credit that needs no confirmation. */
const CREDIT_USD = '10000';
/** Commands that run at once; each waits for its process more than it works. */
const AT_ONCE = 4;

/** Opens all of them. Returns their keys by their names. */
export async function openAccounts({ command }: Site, crowd: Crowd): Promise<ReadonlyMap<string, string>> {
  await command('migrate');
  const waiting = [
    ...Array.from({ length: crowd.traders }, (_, at) => `account ${at}`),
    ...Array.from({ length: crowd.attackers }, (_, at) => `attacker ${at}`),
  ];
  const keys = new Map<string, string>();
  const open = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const account = await command('account', 'create', name, '--credit', CREDIT_USD);
      const key = await command('key', 'create', String(account.json.account_id));
      keys.set(name, String(key.json.api_key));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, open));
  return keys;
}
