/** Responses: POST /v1/responses. Spec 4.4. */
import { requestBodies } from '#generated/validators.js';
import type { ResponseAnswer, ResponseBody, WireShape } from '../common/wire-shape.ts';
import { defaultEcho, type ResponseEcho } from './echo.ts';
import { parseResponsesRequest } from './request.ts';
import { renderResponse, responseObject } from './response.ts';
import { openResponseStream } from './stream.ts';

/** The Responses shape. */
export const responsesShape: WireShape<ResponseEcho, ResponseBody, ResponseAnswer> = {
  kind: 'responses',
  isBody: requestBodies.createResponse,
  parseRequest: parseResponsesRequest,
  renderAnswer: renderResponse,
  renderQueued: (order, echo) => responseObject(order, echo, { status: 'queued' }),
  defaultEcho,
  openStream: openResponseStream,
  openRepeating: openResponseStream,
};
