/**
 * Conformance: a public list of black-box checks of any gateway that says it speaks these wire shapes. Some are the contract
 * tests' own, others say the same of any gateway. They send some forty small requests with the given key.
 */
import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';
import { errors } from 'jose';
import { groups } from './checks.ts';
import { Absent, type Check, Gateway, type GatewayOptions } from './gateway.ts';

/** What came of one check. */
export interface CheckOutcome {
  readonly group: string;
  readonly check: string;
  /** It holds, it does not, or the gateway has nothing of the kind. */
  readonly result: 'holds' | 'fails' | 'absent';
  /** Why it fails; null otherwise. */
  readonly reason: string | null;
}

/** Runs every check, one after the other, and tells each outcome as it comes. Rejects when the gateway cannot be reached. */
export async function conformanceOf(
  options: GatewayOptions,
  told: (outcome: CheckOutcome) => void = () => {},
): Promise<CheckOutcome[]> {
  const gateway = new Gateway(options);
  const outcomes: CheckOutcome[] = [];
  for (const { name: group, checks } of groups) {
    for (const check of checks) {
      const outcome = { group, check: check.name, ...(await outcomeOf(check, gateway)) };
      outcomes.push(outcome);
      told(outcome);
    }
  }
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

async function outcomeOf({ run }: Check, gateway: Gateway): Promise<Pick<CheckOutcome, 'result' | 'reason'>> {
  try {
    await run(gateway);
    return { result: 'holds', reason: null };
  } catch (error) {
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

/** One line. What an assertion says by itself goes over many. */
function reasonOf(error: Error): string {
  if (error instanceof AssertionError && error.generatedMessage && 'expected' in error) {
    return `${inspect(error.actual, ONE_LINE)} instead of ${inspect(error.expected, ONE_LINE)}`.slice(0, REASON_MAX);
  }
  return (error.message.split('\n', 1)[0] ?? '').slice(0, REASON_MAX);
}

const ONE_LINE = { breakLength: Number.POSITIVE_INFINITY, depth: 2 } as const;
const REASON_MAX = 300;

/** Whether the gateway answered too late, or with something that no reader of streams foresaw. */
function isOfAnswer(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || (error instanceof TypeError && !error.cause));
}
