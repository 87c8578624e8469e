/** A record of the market beside other gateways. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '#testing/judged-config.ts';
import { marketModel, selling } from '#testing/test-config.ts';

test('a recording is refused beside other gateways', () => {
  const peers = {
    DATABASE_URL: 'mysql://root@localhost/sluice',
    SLUICE_PEER_ADDRESS: '10.0.0.7:7070',
    SLUICE_PEER_SECRET: 'x'.repeat(32),
  };
  const text = selling([marketModel('tide', 4)]);
  assert.ok(parseConfig(text, 'sluice.yaml', peers).peer);
  assert.throws(
    () => parseConfig(selling([marketModel('tide', 4)], { market: { recording: 'records' } }), 'sluice.yaml', peers),
    /market.recording needs one gateway/,
  );
});
