/** Everything of the official client, with the client of this package in the place of its own. */
export * from 'openai';
// biome-ignore lint/style/noDefaultExport: the official client has one, and programs change nothing but its name.
export { OpenAI as default, OpenAI, OrderReceipt, ReceiptError } from './dist/client.js';
