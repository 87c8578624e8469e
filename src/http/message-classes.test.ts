import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import express from 'express';
import { messageClassesOf } from './app.ts';

test('requests and responses are constructed with the prototypes of express, and keep their classes', () => {
  const app = express();
  const classes = messageClassesOf(app);
  const request = new classes.IncomingMessage(new Socket());
  const response = new classes.ServerResponse(request);
  assert.equal(Object.getPrototypeOf(request), app.request);
  assert.equal(Object.getPrototypeOf(response), app.response);
  assert.ok(request instanceof IncomingMessage && response instanceof ServerResponse);
  assert.deepEqual([request.headers, response.statusCode], [{}, 200]);
});
