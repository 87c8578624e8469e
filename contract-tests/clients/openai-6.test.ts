/** The previous major of the official OpenAI client, unmodified, in both of the shapes that it speaks with tools. */
import { OpenAI } from 'openai-6';
import type { Address } from './client-driver.ts';
import { describeJourneys } from './journeys.ts';
import { chatDriver, responsesDriver } from './openai-drivers.ts';

const clientOf = ({ url, key, fetch }: Address) => new OpenAI({ baseURL: `${url}/v1`, apiKey: key, fetch });

describeJourneys('the previous major of the OpenAI client, in chat', (address) =>
  chatDriver(clientOf(address), address.model),
);
describeJourneys('the previous major of the OpenAI client, in responses', (address) =>
  responsesDriver(clientOf(address), address.model),
);
