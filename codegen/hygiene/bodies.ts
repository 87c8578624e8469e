/** The request and response bodies of each operation, by media type. */
import { type ApiDocument, type Json, operationsOf, resolve } from '../document.ts';

/** One body. */
export interface Body {
  /** Its place, for people: `createBatch request application/json`. */
  readonly place: string;
  readonly operationId: string;
  readonly direction: 'in' | 'out';
  /** The media type object. */
  readonly media: Json;
}

/** Every body of the document, operation by operation, requests first. */
export function bodiesOf(document: ApiDocument): Body[] {
  return operationsOf(document).flatMap(({ id: operationId, path, method }) => {
    const operation = operationAt(document, path, method);
    const request = operation.requestBody as Json | undefined;
    const responses = Object.entries(operation.responses as Json);
    return [
      ...(request
        ? contentOf(document, request, { place: `${operationId} request`, operationId, direction: 'in' })
        : []),
      ...responses.flatMap(([status, response]) =>
        contentOf(document, response as Json, { place: `${operationId} ${status}`, operationId, direction: 'out' }),
      ),
    ];
  });
}

/** An operation as it is in the document. */
export function operationAt({ root }: ApiDocument, path: string, method: string): Json {
  return ((root.paths as Json)[path] as Json)[method] as Json;
}

function contentOf({ root }: ApiDocument, holder: Json, where: Omit<Body, 'media'>): Body[] {
  const content = (resolve(root, holder).content ?? {}) as Json;
  return Object.entries(content).map(([type, media]) => {
    return { ...where, place: `${where.place} ${type}`, media: media as Json };
  });
}
