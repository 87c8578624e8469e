/** A tour of the client, against a gateway that sells `tide`, and `narrows`, whose slots are taken. */
import { ConflictError, Sluice, SluiceError } from '@sluice/client';

const sluice = new Sluice(); // SLUICE_KEY, SLUICE_BASE_URL
const messages = [{ role: 'user', content: 'What is a sluice?' }];

async function placeAndStream(): Promise<void> {
  const order = await sluice.orders.place({ model: 'tide', messages, priceLimit: '2' });
  // It goes on after a cut. An event with `restarted` begins a new run.
  for await (const { number, data } of order.stream()) console.log(number, JSON.stringify(data));
  const { usage } = await order.result();
  const receipt = await order.receipt();
  await receipt.verify(); // signature and arithmetic, without a network
  console.log('paid', receipt.charged, 'USD for', usage.total_tokens, 'tokens');
}

async function collectLater(): Promise<void> {
  const { id } = await sluice.orders.place({ model: 'tide', messages, priceLimit: '2' });
  // Another program may do this, as long as the result is stored.
  const order = await sluice.orders.get(id);
  const answer = await order.result();
  console.log('collected', JSON.stringify(answer).length, 'characters of', order.id);
}

async function repriceAndCancel(): Promise<void> {
  const order = await sluice.orders.place({ model: 'narrows', messages, priceLimit: '1' });
  await order.reprice('1.5');
  await order.cancel();
  try {
    await order.result();
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    console.log(error.code, error.orderId, 'charged:', error.charged);
  }
}

async function listAll(): Promise<void> {
  for await (const { id, status, order } of sluice.orders.list({ status: ['done', 'canceled'] }))
    console.log('order', id, status, order?.bid);
}

async function runBatch(): Promise<void> {
  const lines = ['a', 'b'].map((customId) => ({ customId, body: { model: 'tide', messages } }));
  const results = await sluice.batches.run(lines, {
    priceLimit: '2',
    onProgress: ({ status, request_counts }) =>
      console.log(status, request_counts.completed, 'of', request_counts.total),
  });
  for (const { customId, error } of results) console.log('line', customId, error ? error.message : 'done');
}

async function watchPrices(): Promise<void> {
  const { current, candles } = await sluice.market.candles({ model: 'tide', range: '1h', bucket: 60 });
  console.log('level', current, 'in', candles.length, 'candles');
  for await (const { model, level } of sluice.market.levels()) {
    console.log('level of', model, level);
    break; // leaving the loop ends its connection
  }
}

try {
  await placeAndStream();
  await collectLater();
  await repriceAndCancel();
  await listAll();
  await runBatch();
  await watchPrices();
} catch (error) {
  if (!(error instanceof SluiceError)) throw error;
  console.error(`${error.code}: ${error.message} Order: ${error.orderId}. Charged: ${error.charged}.`);
  process.exitCode = 1;
}
