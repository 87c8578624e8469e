/** Mistakes that once cost an answer or ran without a bound. Each line must fail to compile; nothing here runs. */
import type { ChatCompletion, Sluice } from '@sluice/client';

export async function mistakes(sluice: Sluice, answer: ChatCompletion): Promise<void> {
  const { inference, orders, market } = sluice.api;
  const messages = [{ role: 'user', content: 'hello' }];
  // @ts-expect-error a detached order has a method of its own, because its answer is another
  await inference.createChatCompletion({ chatCompletionRequest: { messages, detached: true } });
  // @ts-expect-error the method itself says that the order is detached
  await inference.createDetachedChatCompletion({ chatCompletionRequest: { messages, detached: false } });
  // @ts-expect-error a stream would be lost
  await inference.createChatCompletion({ chatCompletionRequest: { messages, stream: true } });
  // @ts-expect-error a dry run is a method of its own
  await inference.dryRunChatCompletion({ xDryRun: 'false', chatCompletionRequest: { messages } });
  // @ts-expect-error a misspelt bound
  await inference.createChatCompletion({ chatCompletionRequest: { messages, price_limt: '2' } });
  // @ts-expect-error a misspelt bound
  await sluice.orders.place({ messages, priceLimt: '2' });
  // @ts-expect-error the wire name in the layer
  await sluice.orders.place({ messages, price_limit: '2' });
  // @ts-expect-error a double cannot hold every amount
  await sluice.orders.place({ messages, priceLimit: 2 });
  // @ts-expect-error a misspelt field of an answer
  answer.chioces;
  // @ts-expect-error no such status
  await orders.listOrders({ status: ['waiting'] });
  // @ts-expect-error a list is a list
  await orders.listOrders({ status: 'done,error' });
  // @ts-expect-error a bucket is a number
  await market.getMarketCandles({ bucket: '300' });
  // @ts-expect-error no such part of a message
  await sluice.orders.place({ messages: [{ role: 'user', content: [{ type: 'txt', text: 'hello' }] }] });
  // @ts-expect-error no such choice
  await sluice.orders.place({ messages, tool_choice: 'any' });
}
