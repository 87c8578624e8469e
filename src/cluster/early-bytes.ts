/** Bounds what a connection may send before it has proved itself: nothing large is read into memory for a stranger. */
import type { Socket } from 'node:net';
import { HANDSHAKE_BYTES_MAX } from './handshake.ts';

/** Destroys `socket` once more than HANDSHAKE_BYTES_MAX have come. Returns the function that lifts the bound. */
export function boundEarlyBytes(socket: Pick<Socket, 'on' | 'off' | 'destroy'>, alreadyBytes = 0): () => void {
  let bytes = alreadyBytes;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > HANDSHAKE_BYTES_MAX) socket.destroy();
  };
  socket.on('data', count);
  if (bytes > HANDSHAKE_BYTES_MAX) socket.destroy();
  return () => void socket.off('data', count);
}
