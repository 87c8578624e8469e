/** The signed receipt of an answer or a stream of an official client. Copied into the packages for those. */
import { OrderReceipt, SigningKeysFromJSON } from '@sluice/client';

/** An answer, a chunk or an assembled message (their ids name the order), a stream, or the id of an order. */
export type Answered = string | object;

/** The receipt in `usage.x_market`. `receipt()` has a signed one. */
export interface MarketReceipt {
  readonly order_id: string;
  readonly pricing: 'market' | 'fixed';
  /** USD per 1M input tokens at the reference mix: the price that was paid. */
  readonly level_at_execution: number;
  readonly bid: number;
  readonly charged_usd: number;
  /** Whether `maxCharge` cut the answer short. */
  readonly max_charge_reached?: boolean;
}

/** The orders of answers and streams, since a stream has no id. */
const orders = new WeakMap<object, string>();

/** Notes the order of what a call returns. */
export function remembered<Data>(data: Data, response: Response): Data {
  const order = response.headers.get('x-service-order-id');
  if (order !== null && typeof data === 'object' && data !== null) orders.set(data, order);
  return data;
}

/** Fetches the receipt. Throws TypeError for an object without an order; `get` throws for an order that is not done. */
export async function receiptOf(
  answered: Answered,
  baseUrl: string,
  get: (url: string) => Promise<unknown>,
): Promise<OrderReceipt> {
  const named = typeof answered === 'string' ? answered : (answered as { id?: string }).id;
  const noted = typeof answered === 'object' ? orders.get(answered) : undefined;
  const order = noted ?? /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(named ?? '')?.[0];
  if (order === undefined) throw new TypeError('A receipt needs an answer, a stream, or the id of an order.');
  const root = baseUrl.replace(/(\/v1)?\/*$/, '');
  const { jws } = (await get(`${root}/v1/orders/${order}/receipt`)) as { jws: string };
  return new OrderReceipt(jws, SigningKeysFromJSON(await get(`${root}/.well-known/jwks.json`)));
}
