var e=`What is a sluice?`;function t(e){return`'${e.replaceAll(`'`,`'\\''`)}'`}var n=[{name:`curl`,where:`In a shell.`,text:({origin:n,model:r,limit:i,question:a=e,outputMax:o})=>{let s=[{role:`user`,content:a}];return`curl ${n}/v1/chat/completions \\
  -H "Authorization: Bearer $SLUICE_KEY" \\
  -H "Content-Type: application/json" \\
  -d ${t(JSON.stringify({model:r,...i===null?{}:{price_limit:i},max_tokens:o,messages:s}))}`}},{name:`OpenAI, Python`,where:`pip install openai`,text:({origin:t,model:n,limit:r,question:i=e,outputMax:a})=>`import os
from openai import OpenAI

client = OpenAI(base_url="${t}/v1", api_key=os.environ["SLUICE_KEY"])
messages = [{"role": "user", "content": ${JSON.stringify(i)}}]
answer = client.chat.completions.create(
    model="${n}", messages=messages${a===void 0?``:`, max_tokens=${a}`}${r===null?``:`, extra_body={"price_limit": ${r}}`})
print(answer.choices[0].message.content, answer.usage.x_market)`},{name:`OpenAI, JavaScript`,where:`npm install openai`,text:({origin:t,model:n,limit:r,question:i=e,outputMax:a})=>`import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${t}/v1', apiKey: process.env.SLUICE_KEY });
const messages = [{ role: 'user', content: ${JSON.stringify(i)} }];
const answer = await client.chat.completions.create({
  model: '${n}', messages${a===void 0?``:`, max_tokens: ${a}`}${r===null?``:`, price_limit: ${r}`} });
console.log(answer.choices[0].message.content, answer.usage.x_market);`},{name:`Anthropic`,where:`pip install anthropic; the address is without /v1.`,text:({origin:t,model:n,limit:r,question:i=e,outputMax:a=500})=>`import os
from anthropic import Anthropic

client = Anthropic(base_url="${t}", api_key=os.environ["SLUICE_KEY"])
message = client.messages.create(
    model="${n}", max_tokens=${a},
    messages=[{"role": "user", "content": ${JSON.stringify(i)}}]${r===null?``:`,\n    extra_body={"max_price": ${r}}`})
print(message.content[0].text)`},{name:`AI SDK`,where:`npm install ai @ai-sdk/openai-compatible`,text:({origin:t,model:n,limit:r,question:i=e,outputMax:a})=>`import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const sluice = createOpenAICompatible({
  name: 'sluice',
  baseURL: '${t}/v1',
  apiKey: process.env.SLUICE_KEY,${r===null?``:`\n  headers: { 'X-Price-Limit': '${r}' },`}
});
const { text } = await generateText({ model: sluice('${n}'), prompt: ${JSON.stringify(i)}, maxRetries: 0${a===void 0?``:`, maxOutputTokens: ${a}`} });
console.log(text);`},{name:`Codex`,where:`In ~/.codex/config.toml.`,text:({origin:e,model:t,limit:n})=>`model = "${t}"
model_provider = "sluice"

[model_providers.sluice]
name = "Sluice"
base_url = "${e}/v1"
env_key = "SLUICE_KEY"
wire_api = "responses"${n===null?``:`\nhttp_headers = { "X-Price-Limit" = "${n}" }`}
request_max_retries = 0
stream_max_retries = 0`},{name:`Claude Code`,where:`In a shell.`,text:({origin:n,model:r,limit:i,question:a=e})=>`export ANTHROPIC_BASE_URL=${n}
export ANTHROPIC_AUTH_TOKEN=$SLUICE_KEY
export ANTHROPIC_MODEL=${r}${i===null?``:`\nexport ANTHROPIC_CUSTOM_HEADERS='X-Max-Price: ${i}'`}
claude -p ${t(a)}`}];export{n as t};