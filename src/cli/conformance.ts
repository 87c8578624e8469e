/** `sluice conformance`: runs the public checks against any gateway. */
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { groups } from '#conformance/checks/all.ts';
import { type CheckOutcome, conformanceOf, firstModel, startingLimit } from '#conformance/run.ts';
import { specified } from '#conformance/sentences.ts';
import { CommandError, type CommandResult, faint, good, wrong } from './output.ts';

/** What `conformance` takes besides the address and the key. */
interface ConformanceOptions {
  readonly model?: string;
  readonly priceLimit?: string;
  readonly header?: readonly string[];
  /** A line for every check, not only for every group. */
  readonly verbose?: boolean;
}

/**
 * Runs them, with a line for each group as it ends, and at the end what failed, why, and the sentence of the
 * specification. Exits 1 if one fails or was not reached in time. Features that the gateway lacks are no failures.
 */
export async function checkConformance(
  url: string,
  key: string,
  { model: wanted, priceLimit: typed, header = [], verbose = false }: ConformanceOptions,
  print: (line: string) => void,
): Promise<CommandResult> {
  const priceLimit = typed === undefined ? null : Number(typed);
  if (priceLimit !== null && !(priceLimit >= 0)) throw new CommandError('The price limit must be a number from 0.');
  try {
    new URL(url);
  } catch {
    throw new CommandError(`${url} is no address; it begins with http:// or https://.`);
  }
  const asked = { url, key, headers: headersOf(header), ids: idSource(systemClock), clock: systemClock };
  try {
    const model = wanted ?? (await firstModel(asked));
    if (model === null) throw new CommandError(`${url} lists no models for this key; name one with --model.`);
    const limit = priceLimit ?? (await startingLimit({ ...asked, model }));
    const progress = new Progress(print, verbose);
    const outcomes = await conformanceOf({ ...asked, model, priceLimit: limit }, (outcome) => progress.take(outcome));
    return resultOf(url, model, outcomes);
  } catch (error) {
    if (!(error instanceof TypeError && error.cause)) throw error;
    const { code, message } = error.cause as NodeJS.ErrnoException;
    throw new CommandError(`${url} cannot be reached (${code ?? message}).`);
  }
}

/** Prints each group after its last check. */
class Progress {
  readonly #print: (line: string) => void;
  readonly #verbose: boolean;
  #group: CheckOutcome[] = [];

  constructor(print: (line: string) => void, verbose: boolean) {
    this.#print = print;
    this.#verbose = verbose;
  }

  take(outcome: CheckOutcome): void {
    this.#group.push(outcome);
    const { name, checks } = groups.find(({ name }) => name === outcome.group) ?? { name: '', checks: [] };
    if (this.#group.length < checks.length) return;
    this.#print(`${name.padEnd(NAME_WIDTH)} ${countsOf(this.#group)}`);
    if (this.#verbose) for (const each of this.#group) this.#print(`  ${MARKS[each.result]} ${each.check}`);
    this.#group = [];
  }
}

const NAME_WIDTH = Math.max(...groups.map(({ name }) => name.length));
const MARKS = { holds: good('✔'), fails: wrong('✘'), absent: '–', late: '?' } as const;
const RESULTS = ['holds', 'fails', 'absent', 'late'] as const;

function countOf(outcomes: readonly CheckOutcome[], result: CheckOutcome['result']): number {
  return outcomes.filter((outcome) => outcome.result === result).length;
}

/** `✔ 24 ✘ 1`, without results that do not occur. */
function countsOf(outcomes: readonly CheckOutcome[]): string {
  const counts = RESULTS.map((result) => [result, countOf(outcomes, result)] as const);
  return counts.flatMap(([result, count]) => (count === 0 ? [] : [`${MARKS[result]} ${count}`])).join('  ');
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

function resultOf(url: string, model: string, outcomes: readonly CheckOutcome[]): CommandResult {
  const [holds, fails, absent, late] = RESULTS.map((result) => countOf(outcomes, result));
  const failed = outcomes.filter(({ result }) => result === 'fails').map(explained);
  const summary = [
    `${holds} hold, ${fails} fail, ${absent} are of what this gateway does not have.`,
    ...(late ? [`${late} were not reached in two minutes.`] : []),
  ];
  const shown = outcomes.map((outcome) => ({ ...outcome, sentences: outcome.sentences.map(specified) }));
  return {
    json: { url, model, holds, fails, absent, late, outcomes: shown },
    text: ['', ...failed, summary.join(' ')].join('\n'),
    ...(fails || late ? { exitCode: 1 } : {}),
  };
}

/** The failed check, what was seen, and the sentence that it breaks. */
function explained({ group, check, reason, sentences }: CheckOutcome): string {
  const words = sentences.map(specified).map(({ id, text }) => `    ${faint(`${id}  ${text}`)}`);
  return [`${wrong('✘')} ${group}: ${check}`, `    ${reason}`, ...words, ''].join('\n');
}
