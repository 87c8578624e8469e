/** Who gets a connection between gateways, over real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import tls, { type ConnectionOptions, type TlsOptions } from 'node:tls';
import { dialerTls, isOtherSecret, listenerTls } from './peer-tls.ts';

const SECRET = 'a secret of thirty-two characters';

/** Connects; returns the protocol and cipher, or the error. */
async function connected(listener: TlsOptions, dialer: ConnectionOptions): Promise<string | Error> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = tls.connect({ host: '127.0.0.1', port, ...dialer });
  try {
    await once(socket, 'secureConnect');
    return `${socket.getProtocol()} ${socket.getCipher().name}`;
  } catch (error) {
    return error as Error;
  } finally {
    socket.destroy();
    server.close();
  }
}

test('two that know the secret speak TLS 1.3', async () => {
  assert.match(String(await connected(listenerTls(SECRET), dialerTls(SECRET))), /^TLSv1\.3 TLS_AES_128_GCM_SHA256$/);
});

test('another secret is refused, and distinguished from other failures', async () => {
  const error = await connected(listenerTls(SECRET), dialerTls(`${SECRET}!`));
  assert.equal(isOtherSecret(error), true);
  assert.equal(isOtherSecret(await connected(listenerTls(SECRET), { rejectUnauthorized: false })), false);
});

test('a certificate does not take the place of the secret, even one that this machine trusts', async () => {
  const trusted = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...trusted, CERTIFICATE]);
  try {
    const impostor = { key: KEY, cert: CERTIFICATE };
    assert.match(String(await connected(impostor, {})), /^TLSv1\.3/);
    const error = await connected(impostor, dialerTls(SECRET));
    assert.ok(error instanceof Error);
    assert.match(error.message, /certificate/);
  } finally {
    tls.setDefaultCACertificates(trusted);
  }
});

test('an older protocol is refused', async () => {
  const listener = { ...listenerTls(SECRET), minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
  assert.ok((await connected(listener, dialerTls(SECRET))) instanceof Error);
});

/** Of nobody: made for this test, for 127.0.0.1. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9+AQkBDBWoagpFnX
x+glgJSst2XMU4b/7TRebAIsfZ6hRANCAASNSsmZvTM/1i6le2WMY69WMIaSGZJe
PKtFYnbadRCU9z/uRepVq7MaY6Kx3gX75TEnsH2ZU7aDgjf2oVfeNvLp
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBjzCCATagAwIBAgIUQ2x+B+UkgExBNnQqMfXFZDQYbpgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMzAyNTY0MFoYDzIxMjYxMDMw
MDI1NjQwWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASNSsmZvTM/1i6le2WMY69WMIaSGZJePKtFYnbadRCU9z/uRepVq7Ma
Y6Kx3gX75TEnsH2ZU7aDgjf2oVfeNvLpo2QwYjAdBgNVHQ4EFgQUL3RnvoGLCnwZ
iDt8nscE2ruf8NAwHwYDVR0jBBgwFoAUL3RnvoGLCnwZiDt8nscE2ruf8NAwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0cAMEQC
ICvOp1T8vofhLEpNc0FVsBY+6Vvo83E231IFjN5lnxfRAiA1/gYnN3ACrzNPoo9O
Csinrr70XuAglAAtm78haN+mrA==
-----END CERTIFICATE-----
`;
