/** What stands behind the other gateways: of this gateway only the four shapes and the list of models, as a server of models has them. */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const SHAPES = ['/chat/completions', '/completions', '/responses', '/messages', '/messages/count_tokens', '/models'];

/** Starts it in front of a gateway; the address ends in the port. */
export async function startPlainPod(gateway: string): Promise<{ url: string; server: Server }> {
  const server = createServer((incoming, outgoing) => {
    const path = new URL(incoming.url ?? '/', gateway).pathname;
    if (!SHAPES.some((shape) => path === `/v1${shape}`)) {
      incoming.resume();
      outgoing.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found');
      return;
    }
    const { method, headers } = incoming;
    const onward = request(`${gateway}${incoming.url}`, { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
