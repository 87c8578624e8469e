import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { pendingOperations } from '#handlers/pending.ts';
import type { RequestParts } from './support/client.ts';
import { useServer } from './support/server.ts';

/** Requests that pass every check, for operations that look at their body. */
const good: Readonly<Partial<Record<OperationId, RequestParts>>> = {
  createBatch: { body: { input_file_id: 'file-1', endpoint: '/v1/chat/completions' } },
  getBatch: { params: { id: 'batch_1' } },
};

describe('operations that later issues build', () => {
  const server = useServer();

  for (const id of pendingOperations) {
    it(`501 ${id}`, async () => {
      const params = { id: 'some-id' };
      const reply = await server.api.call(id, { params, ...good[id] });
      reply.refusal(501, 'not_built');
    });
  }
});
