/** The three hundred calls of sdk-tests/README.md with the TypeScript client. */
import { readFile } from 'node:fs/promises';
import { Sluice, SluiceError, withOptions } from '@sluice/client';

interface Asked {
  readonly call: number;
  readonly how: 'result' | 'stream' | 'complete' | 'cancel';
  readonly model: string;
  readonly priceLimit: string;
  readonly store: boolean;
  readonly simulate: object;
  readonly maxWait: number | null;
  readonly timeoutMs: number | null;
}

const AT_ONCE = 8;
const sluice = new Sluice();
const text = await readFile(process.env.SLUICE_CALLS ?? '', 'utf8');
const calls = text.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Asked] : []));
await Promise.all(Array.from({ length: AT_ONCE }, work));

async function work(): Promise<void> {
  for (let asked = calls.shift(); asked; asked = calls.shift()) {
    const { call } = asked;
    try {
      const { orderId, charged } = await take(asked);
      print({ call, returned: true, orderId, charged: true, chargedUsd: charged, error: null });
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      const { orderId, charged, message } = error;
      print({ call, returned: false, orderId, charged, chargedUsd: null, error: message });
    }
  }
}

async function take({ call, how, model, priceLimit, store, simulate, maxWait, timeoutMs }: Asked) {
  const messages = [{ role: 'user', content: `call ${call}` }];
  const ends = timeoutMs === null ? {} : { timeout: timeoutMs };
  const options = { extraBody: { x_simulate: simulate }, ...ends };
  if (how === 'complete') {
    const chatCompletionRequest = { model, messages, price_limit: priceLimit, store };
    const { usage } = await sluice.api.inference.createChatCompletion({ chatCompletionRequest }, withOptions(options));
    return { orderId: usage.x_market.order_id, charged: usage.x_market.charged_usd };
  }
  const params = { model, messages, priceLimit, store, ...(maxWait !== null && { maxWait }) };
  const order = await sluice.orders.place(params, options);
  if (how === 'cancel') await order.cancel(ends);
  if (how === 'stream') for await (const _ of order.stream(ends));
  const { usage } = await order.result(ends);
  return { orderId: order.id, charged: usage.x_market.charged_usd };
}

function print(line: object): void {
  console.log(JSON.stringify(line));
}
