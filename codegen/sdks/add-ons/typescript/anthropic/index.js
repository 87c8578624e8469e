/** Everything of the official client, with the client of this package in the place of its own. */
export * from '@anthropic-ai/sdk';
// biome-ignore lint/style/noDefaultExport: the official client has one, and programs change nothing but its name.
export { Anthropic as default, Anthropic, OrderReceipt, ReceiptError } from './dist/client.js';
