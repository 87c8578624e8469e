/**
 * What openapi-backend costs a request: microseconds of processor time from a parsed request to the call of its handler,
 * through openapi-backend and through the same table, checks and validators called by hand. The checks do nothing, so
 * that only their calls are measured. `node benchmarks/dispatch.bench.ts [--quick]`
 */
import { parseArgs } from 'node:util';
import { operations } from '#generated/operations.ts';
import type { Validator } from '#generated/validators.js';
import type { OperationEntry } from '#http/contract.ts';
import { Router } from '#http/contract.ts';
import { createBackend, type Matched } from '#http/dispatch.ts';
import type { RequestContext } from '#http/request-context.ts';
import { markdownTable } from '#simulations/markdown-table.ts';
import { machine, median } from './machine.ts';
import { tellFigure } from './targets/figures.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const ROUNDS = values.quick ? 11 : 31;
const REQUESTS = values.quick ? 20_000 : 100_000;

const CASES = [
  { name: 'an order', method: 'POST', path: '/v1/chat/completions' },
  { name: 'an order in two headers', method: 'POST', path: '/v1/messages' },
  { name: 'a path with a parameter', method: 'GET', path: '/v1/orders/0199aaaa-0000-7000-8000-000000000000' },
  { name: 'an open operation', method: 'GET', path: '/v1/models' },
] as const;

const REPLY = { status: 200 };
const valid = Object.assign((_body: unknown): _body is unknown => true, { errors: null });
const validators: Record<string, Validator<unknown>> = {};
const table: Readonly<Record<string, OperationEntry>> = operations;
for (const [id, { body }] of Object.entries(table)) if (body === 'json') validators[id] = valid;
const contract = { operations: table, requestBodies: validators };
const router = new Router(contract);
const check = async () => true;
const read = async ({ request }: Pick<Matched<OperationEntry>, 'request'>) => {
  request.body = {};
};
const handler = async () => REPLY;
const backend = createBackend(router, {
  handlers: Object.fromEntries(Object.keys(table).map((id) => [id, handler])),
  callOf: ({ request }) => request,
  securityHandlers: { bearerAuth: check, apiKeyHeader: async () => false },
  postSecurityHandler: read,
});

type Dispatch = (call: RequestContext) => Promise<unknown>;

const byHand: Dispatch = async (request) => {
  const { entry, validator } = router.matchOperation(request);
  if (entry.security !== 'open') await check();
  await read({ request });
  if (validator?.(request.body) === false) throw new Error('The body is not valid.');
  return handler();
};
const throughBackend: Dispatch = (call) => backend.handleRequest(call);

/** Microseconds of processor time a request. */
async function costUs(dispatch: Dispatch, { method, path }: { method: string; path: string }): Promise<number> {
  const before = process.cpuUsage();
  for (let sent = 0; sent < REQUESTS; sent++) {
    const call = { request: { method }, path, operationId: null, params: {}, body: undefined, bodyChecked: false };
    const reply = await dispatch(call as unknown as RequestContext);
    if (reply !== REPLY) throw new Error(`${method} ${path} did not reach its handler`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

const rows = [];
for (const one of CASES) {
  const costs = [];
  for (let round = 0; round < ROUNDS; round++)
    costs.push({ alone: await costUs(byHand, one), through: await costUs(throughBackend, one) });
  const [alone, through, more] = [
    median(costs.map((cost) => cost.alone)),
    median(costs.map((cost) => cost.through)),
    median(costs.map((cost) => cost.through - cost.alone)),
  ];
  rows.push([one.name, alone.toFixed(2), through.toFixed(2), more.toFixed(2), (through / alone).toFixed(1)]);
  if (one.name === 'an order') tellFigure('dispatch: µs more an order', more);
}
console.log(`\nDispatch on ${machine()}; medians of ${ROUNDS} rounds of ${REQUESTS} requests\n`);
console.log(markdownTable(['request', 'by hand µs', 'openapi-backend µs', 'more µs', 'ratio'], rows));
