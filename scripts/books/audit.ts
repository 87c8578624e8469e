/** What the operator's commands say of the books, as sentences. */
import type { Site } from '#testing/gateway-process.ts';

/** The outcome of one audit. */
export interface Audited {
  readonly orders: number;
  /** A sentence for each finding; empty when the audit is clean. */
  readonly findings: readonly string[];
}

/** Runs `sluice audit --against-config`. Throws when it could not audit: the database does not answer. */
export async function audited({ command }: Pick<Site, 'command'>): Promise<Audited> {
  const { json } = await command('audit', '--against-config');
  if (json.ok === true) return { orders: Number(json.orders), findings: [] };
  if (!Array.isArray(json.findings)) throw new Error(`sluice audit: ${JSON.stringify(json)}`);
  return { orders: Number(json.orders), findings: json.findings.map((finding) => `audit: ${JSON.stringify(finding)}`) };
}

/** A sentence for each account that still holds money. Call it when nothing runs. */
export async function stillHeld({ command }: Pick<Site, 'command'>): Promise<string[]> {
  const { json } = await command('account', 'list');
  const accounts = json.accounts as { account_id: string; held_usd: number }[];
  return accounts
    .filter(({ held_usd }) => held_usd !== 0)
    .map((each) => `account ${each.account_id} holds ${each.held_usd}`);
}
