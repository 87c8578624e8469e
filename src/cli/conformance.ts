/** `sluice conformance`: runs the public checks against any gateway. */
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { type CheckOutcome, conformanceOf, firstModel, startingLimit } from '#conformance/run.ts';
import { CommandError, type CommandResult, good, wrong } from './output.ts';

const MARKS = { holds: '✔', fails: '✘', absent: '–' } as const;

/** Runs them, with a line for each as it comes; exits 1 when one fails. What the gateway does not have fails nothing. */
export async function checkConformance(
  url: string,
  key: string,
  {
    model: wanted,
    priceLimit: typed,
    header = [],
  }: { model?: string; priceLimit?: string; header?: readonly string[] },
  print: (line: string) => void,
): Promise<CommandResult> {
  const priceLimit = typed === undefined ? null : Number(typed);
  if (priceLimit !== null && !(priceLimit >= 0)) throw new CommandError('The price limit must be a number from 0.');
  try {
    new URL(url);
  } catch {
    throw new CommandError(`${url} is no address; it begins with http:// or https://.`);
  }
  const asked = { url, key, headers: headersOf(header), ids: idSource(systemClock) };
  try {
    const model = wanted ?? (await firstModel(asked));
    if (model === null) throw new CommandError(`${url} lists no models for this key; name one with --model.`);
    const limit = priceLimit ?? (await startingLimit({ ...asked, model }));
    let group = '';
    const outcomes = await conformanceOf({ ...asked, model, priceLimit: limit }, (outcome) => {
      if (outcome.group !== group) print(`\n${outcome.group}`);
      group = outcome.group;
      print(lineOf(outcome));
    });
    return resultOf(url, model, outcomes);
  } catch (error) {
    if (!(error instanceof TypeError && error.cause)) throw error;
    const { code, message } = error.cause as NodeJS.ErrnoException;
    throw new CommandError(`${url} cannot be reached (${code ?? message}).`);
  }
}

/** Headers as curl takes them. */
function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) {
        throw new CommandError(`${line} is no header; write it as --header 'name: value'.`);
      }
      return [name.toLowerCase(), value];
    }),
  );
}

function lineOf({ check, result, reason }: CheckOutcome): string {
  const mark = result === 'holds' ? good(MARKS.holds) : result === 'fails' ? wrong(MARKS.fails) : MARKS.absent;
  return `  ${mark} ${check}${reason === null ? '' : `: ${reason}`}`;
}

function resultOf(url: string, model: string, outcomes: readonly CheckOutcome[]): CommandResult {
  const count = (result: CheckOutcome['result']) => outcomes.filter((outcome) => outcome.result === result).length;
  const [holds, fails, absent] = [count('holds'), count('fails'), count('absent')];
  return {
    json: { url, model, holds, fails, absent, outcomes },
    text: `\n${holds} hold, ${fails} fail, ${absent} are of what this gateway does not have.`,
    ...(fails > 0 ? { exitCode: 1 } : {}),
  };
}
