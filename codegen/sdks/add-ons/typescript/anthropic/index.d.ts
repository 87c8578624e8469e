/** The types of the official client, to which `client.d.ts` adds bids and receipts. */
export * from '@anthropic-ai/sdk';
export { default } from '@anthropic-ai/sdk';
export { type Answered, type Bid, type MarketReceipt, OrderReceipt, ReceiptError } from './dist/client.js';
