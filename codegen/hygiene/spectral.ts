/** Spectral's rules for OpenAPI, `spectral:oas`: all of them that are on by default, hints included. */
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

/** The findings of the rules in a whole document in JSON; one sentence each. */
export async function spectralFindings(json: string): Promise<string[]> {
  const spectral = new Spectral();
  // The package declares a narrower type than the one it gives.
  spectral.setRuleset(oas as RulesetDefinition);
  const findings = await spectral.run(JSON.parse(json));
  return findings.map(({ code, path, message }) => `#/${path.join('/')}: ${message} (${code})`);
}
