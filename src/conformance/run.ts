/**
 * Conformance: a public list of black-box checks of any gateway that says it speaks these wire shapes, each tied to
 * sentences of docs/specification.md. They send some three hundred small requests with the given key, in two minutes at
 * most.
 */
import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';
import { errors } from 'jose';
import { groups } from './checks/all.ts';
import type { Check, CheckGroup } from './checks/check.ts';
import { Absent, Gateway, type GatewayOptions } from './checks/gateway.ts';

/** What a check found. */
export interface CheckOutcome {
  readonly group: string;
  readonly check: string;
  /** Ids of the sentences that it tried. */
  readonly sentences: readonly string[];
  /** It holds, it does not, the gateway has nothing of the kind, or there was no time left to try it. */
  readonly result: 'holds' | 'fails' | 'absent' | 'late';
  /** Why it fails; null otherwise. */
  readonly reason: string | null;
}

/** How many checks run at once, so that two minutes suffice where an answer takes three seconds. */
const AT_ONCE = 16;

/** Runs every check and reports each outcome, in the order of the list. Rejects when the gateway cannot be reached. */
export async function conformanceOf(
  options: GatewayOptions,
  report: (outcome: CheckOutcome) => void = () => {},
  of: readonly CheckGroup[] = groups,
): Promise<CheckOutcome[]> {
  const gateway = new Gateway(options);
  const all = of.flatMap(({ name: group, checks }) => checks.map((check) => ({ group, check })));
  const lanes: Promise<CheckOutcome>[] = [];
  const running = all.map(({ group, check }, at) => {
    const turn = async () => ({ group, ...(await outcomeOf(check, gateway)) });
    const outcome = lanes[at % AT_ONCE]?.then(turn) ?? turn();
    lanes[at % AT_ONCE] = outcome;
    return outcome;
  });
  // If the gateway is gone, the first that notices rejects for all of them.
  const settled = Promise.allSettled(running);
  const outcomes: CheckOutcome[] = [];
  for (const each of running) {
    const outcome = await each;
    outcomes.push(outcome);
    report(outcome);
  }
  await settled;
  if (!gateway.isOver) await gateway.cleanUp();
  return outcomes;
}

/** A limit that starts an order on any market: twice the level, at least a dollar; null without a market for the model. */
export async function startingLimit(options: Omit<GatewayOptions, 'priceLimit'>): Promise<number | null> {
  const gateway = new Gateway({ ...options, priceLimit: null });
  const { status, json } = await gateway.get(`/v1/market?model=${encodeURIComponent(options.model)}`);
  return status === 200 && typeof json?.level === 'number' ? Math.max(1, 2 * json.level) : null;
}

/** Its default model, or else the first that it lists; null for none. */
export async function firstModel(options: Omit<GatewayOptions, 'priceLimit' | 'model'>): Promise<string | null> {
  const { json } = await new Gateway({ ...options, model: '', priceLimit: null }).get('/v1/models');
  const { default: preferred, data } = json ?? {};
  const first = Array.isArray(data) ? (data[0] as { id?: unknown } | undefined)?.id : null;
  const chosen = preferred ?? first;
  return typeof chosen === 'string' ? chosen : null;
}

async function outcomeOf(check: Check, gateway: Gateway): Promise<Omit<CheckOutcome, 'group'>> {
  const { name, sentences } = check;
  return { check: name, sentences, ...(gateway.isOver ? LATE : await resultOf(check, gateway)) };
}

const LATE = { result: 'late', reason: null } as const;

async function resultOf({ run }: Check, gateway: Gateway): Promise<Pick<CheckOutcome, 'result' | 'reason'>> {
  try {
    await run(gateway);
    return { result: 'holds', reason: null };
  } catch (error) {
    if (gateway.isOver) return LATE;
    if (error instanceof Absent) return { result: 'absent', reason: null };
    if (
      error instanceof AssertionError ||
      error instanceof SyntaxError ||
      error instanceof errors.JOSEError ||
      isOfAnswer(error)
    ) {
      return { result: 'fails', reason: reasonOf(error as Error) };
    }
    throw error;
  }
}

/** One line. The message of an assertion may have many lines. */
function reasonOf(error: Error): string {
  if (error instanceof AssertionError && error.generatedMessage && 'expected' in error) {
    return `${inspect(error.actual, ONE_LINE)} instead of ${inspect(error.expected, ONE_LINE)}`.slice(0, REASON_MAX);
  }
  return (error.message.split('\n', 1)[0] ?? '').slice(0, REASON_MAX);
}

const ONE_LINE = { breakLength: Number.POSITIVE_INFINITY, depth: 2 } as const;
const REASON_MAX = 300;

/** Nothing listens at the address. */
const UNREACHABLE: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/** Whether the gateway answered too late, broke the connection, or sent what no reader of streams foresaw. */
function isOfAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return error.name === 'TimeoutError' || (error instanceof TypeError && !UNREACHABLE.includes(code));
}
