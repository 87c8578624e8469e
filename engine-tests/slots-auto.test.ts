/** Slots that follow the metrics of llama.cpp's server, which runs two requests at once and queues the others. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { eventually } from './engine-process.ts';
import { EngineGateway } from './gateway.ts';
import { LlamaCpp, SLOTS } from './llama-cpp.ts';

let engine: LlamaCpp;
let gateway: EngineGateway;
before(async () => {
  engine = await LlamaCpp.prepare();
  await engine.start();
  gateway = await EngineGateway.start(engine, { tiny: { slots: { auto: { min: 1, max: 6 } } } });
});
after(async () => {
  await gateway?.remove();
  await engine?.remove();
});

it('climb to what it can do, find that one more waits there, and rest at what it can do', async () => {
  let over = false;
  let answers = 0;
  const caller = async (number: number) => {
    while (!over) {
      await gateway.openai.chat.completions.create({
        ...{ model: 'tiny', messages: [{ role: 'user' as const, content: `${number}: what is a weir?` }] },
        ...{ max_tokens: 500, grammar: 'root ::= "word " root' },
      });
      answers++;
    }
  };
  const callers = Array.from({ length: 6 }, (_, number) => caller(number));
  await eventually(async () => (await engine.busySlots()) === SLOTS, 'all slots of the engine to be used');
  await eventually(async () => (await engine.waiting()) > 0, 'one slot too many');
  // Taken back, and not tried again for five minutes: nothing waits while eight answers come.
  let quietSince = answers;
  while (answers < quietSince + 8) if ((await engine.waiting()) > 0) quietSince = answers;
  over = true;
  await Promise.all(callers);
  assert.deepEqual(await gateway.auditFindings(), []);
});
