import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { writePythonTypes } from './python-types.ts';

const SOURCE = `/** One text, or several. */
export type StopStrings = string | string[];

/** The content. */
export type ChatContent = string | { type: 'text'; text: string; cached?: boolean }[];

/** A tool. */
export type ChatTool =
  | { type: 'function'; function: { name: string } }
  | { type: 'custom'; custom: { [key: string]: unknown } };

/** A block. */
export interface TextBlock {
  type: 'text';
  text: string;
}
`;
const schemas = {
  ChatMessage: {
    description: 'A message. It has more.',
    required: ['role'],
    properties: {
      role: { type: 'string', enum: ['user', 'system'] },
      content: { 'x-takes': { $ref: '#/ChatContent' }, nullable: true },
    },
  },
  ChatCompletionRequest: {
    description: 'A chat.',
    required: ['messages'],
    properties: {
      messages: { type: 'array', items: {} },
      price_limit: { type: 'string', format: 'number', nullable: true, description: 'The most. In USD.' },
      max_wait: { type: 'integer' },
      temperature: { type: 'number' },
      stop: { 'x-takes': { $ref: '#/StopStrings' } },
      tools: { type: 'array', items: { type: 'object' } },
    },
  },
};
/** As the generator writes them. */
const MODELS = {
  chat_message: 'class ChatMessage(BaseModel):\n    role: StrictStr\n    content: Optional[Any] = None\n',
  chat_completion_request:
    'class ChatCompletionRequest(BaseModel):\n    stop: Optional[Any] = Field(default=None)\n    tools: Optional[List[Dict[str, Any]]] = None\n',
};

describe('the types of the Python client', () => {
  let folder = '';
  const written = (path: string) => readFile(join(folder, path), 'utf8');
  const prepare = async (models: Readonly<Record<string, string>>) => {
    await mkdir(join(folder, 'models'), { recursive: true });
    for (const [name, text] of Object.entries(models)) await writeFile(join(folder, `models/${name}.py`), text);
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-python-types-'));
    await prepare(MODELS);
    await writePythonTypes({ components: { schemas } }, SOURCE, folder);
  });
  after(() => rm(folder, { recursive: true }));

  it('are aliases, and typed dicts named after what tells them apart', async () => {
    const unions = await written('unions.py');
    assert.match(unions, /^StopStrings = Union\[str, List\[str\]\]\n"""One text, or several."""$/m);
    assert.match(unions, /^ChatTool = Union\[ChatToolFunction, ChatToolCustom\]$/m);
    assert.match(unions, /^class ChatToolFunction\(TypedDict\):\n {4}type: Literal\["function"\]\n/m);
    assert.match(unions, /^ {4}custom: Dict\[str, Any\]$/m);
    assert.match(unions, /^ {4}cached: NotRequired\[bool\]$/m);
    assert.match(unions, /^class TextBlock\(TypedDict\):\n {4}"""A block."""\n/m);
  });

  it('have the parameters of a chat, with exact money, unions and the first sentence of each description', async () => {
    const unions = await written('unions.py');
    const [, params = ''] = unions.split('class ChatParams(TypedDict):\n');
    assert.match(params, /^ {4}"""A chat."""\n/);
    assert.match(params, /^ {4}price_limit: NotRequired\[Optional\[Money\]\]\n {4}"""The most."""$/m);
    assert.match(params, /^ {4}max_wait: NotRequired\[int\]$/m);
    assert.match(params, /^ {4}temperature: NotRequired\[float\]$/m);
    assert.match(params, /^ {4}stop: NotRequired\[StopStrings\]$/m);
    assert.match(params, /^ {4}tools: NotRequired\[List\[ChatTool\]\]$/m);
    assert.doesNotMatch(params, /messages/);
    assert.match(unions, /^ {4}role: Literal\["user", "system"\]$/m);
  });

  it('are in the models for type checkers, and any value at run time', async () => {
    const request = await written('models/chat_completion_request.py');
    assert.match(
      request,
      /^if TYPE_CHECKING:\n {4}from sluice.unions import StopStrings\nelse:\n {4}StopStrings = Any$/m,
    );
    assert.match(request, /^else:\n {4}ChatTool = Dict\[str, Any\]$/m);
    assert.match(request, /^ {4}stop: Optional\[StopStrings\] = Field/m);
    assert.match(request, /^ {4}tools: Optional\[List\[ChatTool\]\] = None$/m);
    assert.match(await written('models/chat_message.py'), /^ {4}content: Optional\[ChatContent\] = None$/m);
  });

  it('are an error where a model lacks the field', async () => {
    await prepare({ ...MODELS, chat_message: 'class ChatMessage(BaseModel):\n    role: StrictStr\n' });
    const writing = writePythonTypes({ components: { schemas } }, SOURCE, folder);
    await assert.rejects(writing, /has no field content for ChatContent/);
  });
});
