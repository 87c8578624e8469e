/** The page that shows the checks of several gateways side by side. */
import type { CheckOutcome } from '#conformance/run.ts';
import { markdownTable } from '#simulations/markdown-table.ts';

/** A gateway by its name, with its version where it is not this one. */
export interface Checked {
  readonly name: string;
  readonly outcomes: readonly CheckOutcome[];
}

/** A reason quotes what the gateway sent, which may be long. */
const REASON_MAX = 160;

/** The page, in Markdown. All have the same checks in the same order; throws when they have not. */
export function conformancePage(gateways: readonly Checked[]): string {
  const checks = gateways[0]?.outcomes ?? [];
  for (const { name, outcomes } of gateways) {
    const strange = checks.find(({ check }, at) => outcomes[at]?.check !== check);
    if (strange) throw new Error(`${name} was not checked for: ${strange.check}`);
  }
  const groups = [...new Set(checks.map(({ group }) => group))];
  const row = (title: string, isIn: (outcome: CheckOutcome) => boolean) => [
    title,
    ...gateways.map(({ outcomes }) => countsOf(outcomes.filter(isIn))),
  ];
  const rows = [...groups.map((name) => row(name, ({ group }) => group === name)), row('**all**', () => true)];
  const table = markdownTable(['checks', ...gateways.map(({ name }) => name)], rows);
  return [HEAD, table, ...gateways.flatMap(reasonsOf), ''].join('\n');
}

/** `24 ✔, 1 ✘, 3 –`: those that there are. */
function countsOf(outcomes: readonly CheckOutcome[]): string {
  const marks = Object.entries({ holds: '✔', fails: '✘', absent: '–', late: '?' });
  const counts = marks.map(([result, mark]) => ({
    mark,
    count: outcomes.filter((each) => each.result === result).length,
  }));
  return counts.flatMap(({ mark, count }) => (count === 0 ? [] : [`${count} ${mark}`])).join(', ');
}

function reasonsOf({ name, outcomes }: Checked): string[] {
  const failed = outcomes.filter(({ result }) => result === 'fails');
  if (failed.length === 0) return [];
  const lines = failed.map(
    ({ check, reason, sentences }) => `- ${check} (${sentences.join(', ')}): \`${shortened(reason ?? '')}\``,
  );
  return ['', `## What failed of ${name}`, '', ...lines];
}

/** Without what differs from run to run. */
function shortened(reason: string): string {
  const line = reason
    .replaceAll('`', "'")
    .replaceAll(/(?:chatcmpl-|resp_|msg_|cmpl-|req-)[\w-]+|"created(?:_at)?":\d+|127\.0\.0\.1:\d+/g, '…');
  return line.length > REASON_MAX ? `${line.slice(0, REASON_MAX)} …` : line;
}

const HEAD = `# Conformance, side by side

What [\`npx sluice conformance\`](using.md#does-a-gateway-keep-the-shapes) finds of this gateway, and of Portkey, LiteLLM and smg (the gateway of
SGLang's makers): how many checks hold (✔), fail (✘), or are of something that the gateway does not have (–), which is no fault. [The
map](../generated/specification/map.md) has every check beside the sentences that it tries. The checks ask for what our specification says, and
for the envelopes and events that OpenAI and Anthropic document. A gateway may differ on purpose, and most clients forgive most of it.

Written by \`npm run conformance-page\` and not by hand. Behind the others is one pod: this gateway with the four shapes and the list of
models alone. It passes every check itself, so what fails is of the one in front. Portkey is asked with the provider \`openai\`, and with
\`anthropic\` where Anthropic's shape is checked. LiteLLM has a master key and no database. smg runs with \`--backend openai\`. The numbers in
brackets are the sentences.
`;
