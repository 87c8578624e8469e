/** The pages that show the checks of several gateways side by side. */
import type { CheckOutcome } from '#conformance/run.ts';
import { markdownTable } from '#simulations/markdown-table.ts';

/** A gateway by its name, with its version where it is not this one. */
export interface Checked {
  readonly name: string;
  readonly outcomes: readonly CheckOutcome[];
}

/** A reason quotes what the gateway sent, which may be long; the command shows all of it. */
const REASON_MAX = 60;

/** The page of docs/, in Markdown. All have the same checks in the same order; throws when they have not. */
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
  // What no other gateway has is one row.
  const shared = groups.filter((name) =>
    gateways
      .slice(1)
      .some(({ outcomes }) => outcomes.some(({ group, result }) => group === name && result !== 'absent')),
  );
  const alone = groups.filter((name) => !shared.includes(name));
  const rows = [
    ...shared.map((name) => row(name, ({ group }) => group === name)),
    ...(alone.length === 0 ? [] : [row(alone.join(', '), ({ group }) => alone.includes(group))]),
    row('**all**', () => true),
  ];
  const table = markdownTable(['checks', ...gateways.map(({ name }) => name)], rows);
  return [HEAD, table, ''].join('\n');
}

/** The failed checks of each gateway by reason, in Markdown. */
export function failuresPage(gateways: readonly Checked[]): string {
  return [FAILURES_HEAD, ...gateways.flatMap(reasonsOf), ''].join('\n');
}

/** `24 ✔, 1 ✘`: those that there are; `–` where the gateway has nothing that could be checked. */
function countsOf(outcomes: readonly CheckOutcome[]): string {
  const marks = Object.entries({ holds: '✔', fails: '✘', late: '?' });
  const counts = marks.map(([result, mark]) => ({
    mark,
    count: outcomes.filter((each) => each.result === result).length,
  }));
  return counts.flatMap(({ mark, count }) => (count === 0 ? [] : [`${count} ${mark}`])).join(', ') || '–';
}

function reasonsOf({ name, outcomes }: Checked): string[] {
  const failed = outcomes.filter(({ result }) => result === 'fails');
  if (failed.length === 0) return [];
  const byReason = Map.groupBy(failed, ({ reason }) => shortened(reason ?? ''));
  const lines = [...byReason].map(([reason, [first, ...others]]) => {
    return `- \`${reason}\`: ${first?.check}${others.length === 0 ? '' : `, and ${others.length} more`}`;
  });
  return ['', `## ${name}: failed checks`, '', ...lines];
}

/** Without the body that was sent, and what differs from run to run. */
function shortened(reason: string): string {
  const line = reason
    .replace(/: [{[<].*$/s, '')
    .replaceAll('`', "'")
    .replaceAll(/(?:chatcmpl-|resp_|msg_|cmpl-|req-)[\w-]+|"created(?:_at)?":\d+|127\.0\.0\.1:\d+/g, '…');
  return line.length > REASON_MAX ? `${line.slice(0, REASON_MAX)} …` : line;
}

const HEAD = `# Conformance

Check any gateway that claims these shapes, from outside, in two minutes at most:

\`\`\`sh
npx sluice conformance http://127.0.0.1:8080 sk-sluice-...
\`\`\`

About 380 checks send some 350 small requests, which the key pays. They change no setting and delete their uploads. A check holds (✔), fails (✘), or is of
something that the gateway does not have. A failure is shown with the words of the [specification](../specification.md) and what was seen. \`--verbose\`
prints every check, \`--json\` all as JSON. The exit code is 1 if a check fails or time runs out.

## Side by side

\`npm run conformance-page\` writes this page. The others stand in front of a pod that passes every check: this gateway, with the four shapes alone.
A gateway may differ on purpose. A missing feature is not counted as a failure.
[What failed](../../benchmarks/side-by-side/failures.md) has a reason for each. [The map](../../generated/specification/map.md) lists the sentences of the specification that each check covers.
`;

const FAILURES_HEAD = `# What fails in other gateways

The failed checks behind [the table of conformance](../../docs/buy/conformance.md#side-by-side), written with it by \`npm run conformance-page\`. One failed
check is shown for each reason. Portkey has the provider \`openai\`, or \`anthropic\` for Anthropic's shape; LiteLLM a master key and no database; smg (of
SGLang's makers) \`--backend openai\`.`;
