/** Files for tests: forms as clients send them, and uploads that must succeed. */
import type { Client, RequestOptions } from './client.ts';
import type { BodyOf } from './reply.ts';

export type StoredFile = BodyOf<'uploadFile', 200>;

/** A field, unless it has a filename. */
export interface Part {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly filename?: string;
}

const BOUNDARY = 'sluice-test-boundary';

/** A request whose body is a form of these parts, in this order. */
export function form(...options: readonly Part[]): RequestOptions {
  const chunks = options.flatMap(({ name, content, filename }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')];
  });
  const raw = Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  return { raw, headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } };
}

export const purpose = (content = 'batch'): Part => ({ name: 'purpose', content });
export const file = (content: string | Uint8Array = '{}\n', filename = 'in.jsonl'): Part => ({
  name: 'file',
  content,
  filename,
});

/** Uploads a valid file. */
export async function upload(api: Client, content?: string | Uint8Array, filename?: string): Promise<StoredFile> {
  return (await api.call('uploadFile', form(purpose(), file(content, filename)))).body(200);
}
