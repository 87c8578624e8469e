/** Mistakes in bids. Each line must fail to compile; nothing here runs. */
import Anthropic from '@sluice/anthropic';
import OpenAI from '@sluice/openai';

export async function mistakes(openai: OpenAI, anthropic: Anthropic): Promise<void> {
  const model = 'tide';
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
  // @ts-expect-error a misspelt bound
  await openai.chat.completions.create({ model, messages, priceLimt: '2' });
  // @ts-expect-error a misspelt bound of a stream
  await openai.chat.completions.create({ model, messages, stream: true, maxCharg: '2' });
  // @ts-expect-error a misspelt bound of a response
  await openai.responses.create({ model, input: 'Hello', priceLimt: '2' });
  // @ts-expect-error a bound that is no amount
  await openai.chat.completions.create({ model, messages, priceLimit: true });
  // @ts-expect-error a misspelt default
  new OpenAI({ priceLimt: '2' });
  // @ts-expect-error a misspelt default of a copy
  openai.withOptions({ dedline: 3600 });
  // @ts-expect-error a receipt of nothing
  await openai.receipt();
  // @ts-expect-error a misspelt bound of a message
  await anthropic.messages.create({ model, max_tokens: 10, messages: [], priceLimt: '2' });
  // @ts-expect-error a misspelt default
  new Anthropic({ priceLimt: '2' });
}
