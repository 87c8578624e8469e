import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestDatabase } from './database.ts';

describe('a database for one server', () => {
  it('is a SQLite file in the server folder unless a database server is named', async () => {
    const database = await createTestDatabase('/some/folder', '');
    assert.equal(database.url, 'sqlite:/some/folder/sluice.sqlite');
  });
});
