import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itHasARate, itKeepsItsAnswer } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/models/{model}', () => {
  const server = useServer();
  const get = (model: string) => server.api.call('getModel', { params: { model }, key: null });
  itHasARate('public_requests_per_minute_per_address', 'getModel', { params: { model: 'tide' } });
  itKeepsItsAnswer(server, 'getModel', { params: { model: 'tide' } });

  it('200 the entry of the list, by id', async () => {
    const { data } = (await server.api.call('listModels')).body(200);
    assert.deepEqual(
      (await get('harbor')).body(200),
      data.find(({ id }) => id === 'harbor'),
    );
  });

  // Spec 2.7-12, 2.7-13
  it('200 an alias, naming the model behind it', async () => {
    const tide = (await get('tide')).body(200);
    assert.ok(!('x_alias_of' in tide));
    assert.deepEqual((await get('tide-latest')).body(200), { ...tide, id: 'tide-latest', x_alias_of: 'tide' });
  });

  it('200 a deprecated model is still described', async () => {
    assert.equal((await get('ebb')).body(200).id, 'ebb');
  });

  it('404 model_not_found for a model that is not served', async () => {
    assert.equal((await get('nobody')).refusal(404, 'model_not_found').param, 'model');
    (await get('constructor')).refusal(404, 'model_not_found');
    (await get("' OR 1=1 --")).refusal(404, 'model_not_found');
  });
});
