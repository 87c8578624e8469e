/** A gateway for the checks of conformance: a market, a fixed price and a preview, on simulated pods, and a key. */
import { type GatewayProcess, makeSite, type Site } from './gateway-process.ts';

const LENGTHS = 'context_length: 32768, max_output_length: 4096';
const CONFIGURATION = `
default_model: tide
models:
  - {id: tide, type: market, ${LENGTHS}, floor: 0.01, ceiling: 100, pricing_ratio: {cached: 0.1, uncached: 1, output: 4},
     pods: [{id: tide-1, simulated: true, slots: 16}]}
  - {id: harbor, type: fixed, ${LENGTHS}, usd_per_million: {cached: 0.05, uncached: 0.5, output: 1.5},
     pods: [{id: harbor-1, simulated: true, slots: 4}]}
  - {id: surge, type: market, preview: true, ${LENGTHS}, floor: 0.01, ceiling: 100,
     pricing_ratio: {cached: 0.1, uncached: 1, output: 4}}
limits: {public_requests_per_minute_per_address: 100000, inference_requests_per_minute_per_key: 100000,
  account_operations_per_minute_per_account: 100000, file_operations_per_minute_per_account: 100000,
  running_batches_per_account: 100, streams_per_address: 100}
`;

/** Starts it. */
export async function checkedSite(): Promise<{ site: Site; gateway: GatewayProcess; key: string }> {
  const site = await makeSite(CONFIGURATION);
  const { apiKey: key } = await site.openAccount('checks', '10');
  return { site, gateway: await site.start(), key };
}
