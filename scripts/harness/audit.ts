/** What the operator's audit says of the books, as sentences. */
import type { Site } from '#testing/gateway-process.ts';

/** Runs `sluice audit --against-config`: how many orders it looked at, and a sentence for each finding. Throws when it could not audit. */
export async function audited({
  command,
}: Pick<Site, 'command'>): Promise<{ readonly orders: number; readonly findings: readonly string[] }> {
  const { json } = await command('audit', '--against-config');
  const findings = json.ok === true ? [] : json.findings;
  if (!Array.isArray(findings)) throw new Error(`sluice audit: ${JSON.stringify(json)}`);
  return { orders: Number(json.orders), findings: findings.map((finding) => `audit: ${JSON.stringify(finding)}`) };
}
