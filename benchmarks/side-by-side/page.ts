/** The page that shows the checks of several gateways side by side. */
import type { CheckOutcome } from '#conformance/run.ts';
import { markdownTable } from '#simulations/markdown-table.ts';

/** A gateway by its name, with its version where it is not this one. */
export interface Checked {
  readonly name: string;
  readonly outcomes: readonly CheckOutcome[];
}

const MARKS = { holds: '✔', fails: '✘', absent: '–' } as const;
/** A reason quotes what the gateway sent, which may be long. */
const REASON_MAX = 160;

/** The page, in Markdown. All have the same checks in the same order; throws when they have not. */
export function conformancePage(gateways: readonly Checked[]): string {
  const names = gateways.map(({ name }) => name);
  const checks = gateways[0]?.outcomes ?? [];
  const rows = checks.map(({ check, group }, at) => {
    const outcomes = gateways.map(({ name, outcomes }) => {
      const outcome = outcomes[at];
      if (outcome?.check !== check) throw new Error(`${name} was not checked for: ${check}`);
      return outcome;
    });
    return [`${group}: ${check}`, ...outcomes.map(({ result }) => MARKS[result])];
  });
  const totals = ['**hold, fail, not there**', ...gateways.map(({ outcomes }) => totalsOf(outcomes))];
  return [HEAD, markdownTable(['check', ...names], [...rows, totals]), ...gateways.flatMap(reasonsOf), ''].join('\n');
}

function totalsOf(outcomes: readonly CheckOutcome[]): string {
  const count = (result: CheckOutcome['result']) => outcomes.filter((outcome) => outcome.result === result).length;
  return `${count('holds')}, ${count('fails')}, ${count('absent')}`;
}

function reasonsOf({ name, outcomes }: Checked): string[] {
  const failed = outcomes.filter(({ result }) => result === 'fails');
  if (failed.length === 0) return [];
  const lines = failed.map(({ check, reason }) => `- ${check}: \`${shortened(reason ?? '')}\``);
  return ['', `## What failed of ${name}`, '', ...lines];
}

function shortened(reason: string): string {
  const line = reason.replaceAll('`', "'").replaceAll(/chatcmpl-[\w-]+|"created":\d+/g, '…');
  return line.length > REASON_MAX ? `${line.slice(0, REASON_MAX)} …` : line;
}

const HEAD = `# Conformance, side by side

What [\`npx sluice conformance\`](using.md#does-a-gateway-keep-the-shapes) finds of this gateway, and of Portkey and LiteLLM in front of it. It holds
(✔), fails (✘), or is of something that the gateway does not have (–), which is no fault. The checks are ours, and so is what
they ask for: the envelopes and events that OpenAI and Anthropic document. A gateway may differ on purpose, and most clients forgive
most of it.

Written by \`npm run conformance-page\` and not by hand. Behind all three is the same simulated pod of this gateway, which passes every check, so that what fails
is of the one in front. Portkey is asked with the provider \`openai\`, and with \`anthropic\` where Anthropic's shape is checked. LiteLLM has a
master key and no database. What Portkey has of the market is passed on.
`;
