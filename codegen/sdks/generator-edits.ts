/**
 * Lines of generated files that no option of the generator changes, and whose templates are too long to copy. Each edit
 * names the line and what stands there then. A new version of the generator that writes another line is an error.
 */
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FIXED, STRICT_HEADER } from './document.ts';
import type { Language } from './toolchains.ts';

interface Edit {
  /** A path in the folder of the client; `*` stands for each file of a folder. Some of them may have no such line. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const [[DRY_RUN, { header }], [DETACHED, { field }]] = [
  ['#dry-run', FIXED['#dry-run']],
  ['#detached', FIXED['#detached']],
] as const;

/** What a program imports from the Python package, by module. */
const LAYER: Readonly<Record<string, readonly string[]>> = {
  batches: ['BatchLine', 'BatchResult'],
  aio: ['AsyncSluice'],
  client: ['Sluice'],
  errors: ['ConnectionError', 'SluiceError', 'TimeoutError', 'UnexpectedAnswerError'],
  orders: ['OrderEvent', 'OrderHandle'],
  receipts: ['OrderReceipt'],
  transport: ['Attempt', 'call_options'],
  unions: ['ChatMessageParams'],
};
const layerNames = Object.values(LAYER).flat();
const layerImports = Object.entries(LAYER)
  .map(([module, names]) => names.map((name) => `from sluice.${module} import ${name} as ${name}\n`).join(''))
  .join('')
  .concat('from sluice import error_classes\nfrom sluice.error_classes import *\n');

const edits: Readonly<Record<Language, readonly Edit[]>> = {
  typescript: [
    {
      // A misspelt field does not compile. At run time unknown fields pass through all the same.
      file: 'src/models/*.ts',
      from: '    [key: string]: any | any;\n',
      to: '',
    },
    {
      // The errors of transport.ts, which say more.
      file: 'src/runtime.ts',
      from: "throw new FetchError(e, 'The request failed and the interceptors did not return an alternative response');",
      to: 'throw e;',
    },
    {
      file: 'src/runtime.ts',
      from: 'headers[key] === undefined ? delete headers[key] : {});\n',
      to:
        'headers[key] === undefined ? delete headers[key] : {});\n' +
        `        if (context.path.endsWith('${DRY_RUN}')) headers['${header}'] = 'true';\n` +
        `        if (context.path.endsWith('${DETACHED}')) context.body = { ...context.body, ${field}: true };\n`,
    },
  ],
  python: [
    {
      // The layer, which the generator does not know.
      file: 'sluice/__init__.py',
      from: '# Define package exports\n__all__ = [\n',
      to:
        `${layerImports}# Define package exports\n__all__ = []\n__all__ += error_classes.__all__\n` +
        `__all__ += [\n${layerNames.map((name) => `    "${name}",\n`).join('')}`,
    },
    {
      file: 'sluice/api_client.py',
      from: 'self.default_headers = {}',
      to: `self.default_headers = {'${STRICT_HEADER}': 'true'}`,
    },
    {
      file: 'sluice/api_client.py',
      from: '            body = self.sanitize_for_serialization(body)\n',
      to:
        '            body = self.sanitize_for_serialization(body)\n' +
        `        if resource_path.endswith('${DRY_RUN}'):\n            header_params['${header}'] = 'true'\n` +
        `        if resource_path.endswith('${DETACHED}'):\n            body['${field}'] = True\n`,
    },
    {
      // An amount is a number on the wire, with all its digits (money.py).
      file: 'sluice/api_client.py',
      from: '            return str(obj)\n        elif isinstance(obj, dict):',
      to: '            return obj\n        elif isinstance(obj, dict):',
    },
    {
      file: 'sluice/rest.py',
      from: 'request_body = json.dumps(body)',
      to: 'request_body = json_of(body)',
    },
    {
      file: 'sluice/rest.py',
      from: 'import urllib3\n',
      to: 'import urllib3\nfrom sluice.money import json_of\n',
    },
    {
      // Otherwise the answer would be None, and an order that it names would be lost.
      file: 'sluice/api_client.py',
      from: '        # deserialize response data\n',
      to:
        '        if 200 <= response_data.status <= 299 and str(response_data.status) not in response_types_map:\n' +
        '            raise ApiException(status=response_data.status, reason="The status of the answer is not documented.",\n' +
        '                               http_resp=response_data)\n\n' +
        '        # deserialize response data\n',
    },
    {
      // A misspelt field raises. `additional_properties` is for fields that the client does not know.
      file: 'sluice/models/*.py',
      from: '        protected_namespaces=(),\n',
      to: '        protected_namespaces=(),\n        extra="forbid",\n',
    },
  ],
  go: [
    {
      // Numbers without a type keep their digits (money.go).
      file: 'model_*.go',
      from: '\terr = json.Unmarshal(data, &var',
      to: '\terr = unmarshalExactly(data, &var',
    },
    {
      file: 'model_*.go',
      from: '\tif err = json.Unmarshal(data, &additionalProperties)',
      to: '\tif err = unmarshalExactly(data, &additionalProperties)',
    },
    {
      file: 'configuration.go',
      from: 'make(map[string]string),',
      to: `map[string]string{"${STRICT_HEADER}": "true"},`,
    },
    {
      file: 'client.go',
      from: '		body, err = setBody(postBody, contentType)\n',
      to:
        `		if strings.HasSuffix(path, "${DRY_RUN}") {\n			headerParams["${header}"] = "true"\n		}\n` +
        `		if strings.HasSuffix(path, "${DETACHED}") {\n` +
        '			fields := map[string]json.RawMessage{}\n' +
        '			written, err := json.Marshal(postBody)\n' +
        '			if err == nil {\n				err = json.Unmarshal(written, &fields)\n			}\n' +
        '			if err != nil {\n				return nil, err\n			}\n' +
        `			fields["${field}"] = json.RawMessage("true")\n			postBody = fields\n		}\n` +
        '		body, err = setBody(postBody, contentType)\n',
    },
  ],
  java: [
    {
      // Numbers without a type keep their digits.
      file: 'src/main/java/sluice/client/JSON.java',
      from: 'GsonBuilder builder = fireBuilder.createGsonBuilder();',
      to:
        'GsonBuilder builder = fireBuilder.createGsonBuilder()\n' +
        '            .setObjectToNumberStrategy(com.google.gson.ToNumberPolicy.BIG_DECIMAL);',
    },
    {
      // An amount in a header has no exponent.
      file: 'src/main/java/sluice/client/ApiClient.java',
      from: '            return String.valueOf(param);',
      to: '            return param instanceof java.math.BigDecimal amount ? amount.toPlainString() : String.valueOf(param);',
    },
    {
      file: 'src/main/java/sluice/client/ApiClient.java',
      from: 'defaultHeaderMap = new HashMap<String, String>();',
      to: `defaultHeaderMap = new HashMap<String, String>(Collections.singletonMap("${STRICT_HEADER}", "true"));`,
    },
    {
      file: 'src/main/java/sluice/client/ApiClient.java',
      from: '        // prepare HTTP request body\n',
      to:
        `        if (path.endsWith("${DRY_RUN}")) {\n            headerParams.put("${header}", "true");\n        }\n` +
        `        if (path.endsWith("${DETACHED}")) {\n` +
        '            com.google.gson.JsonObject fields = JSON.getGson().toJsonTree(body).getAsJsonObject();\n' +
        `            fields.addProperty("${field}", true);\n            body = fields;\n        }\n\n` +
        '        // prepare HTTP request body\n',
    },
  ],
};

/** Makes the edits of a language in the folder of its client. Throws where the generator writes other text. */
export async function editClient(language: Language, folder: string): Promise<void> {
  for (const { file, from, to } of edits[language]) {
    const paths = globSync(file, { cwd: folder }).sort();
    const changed = await Promise.all(paths.map((path) => edit(join(folder, path), from, to)));
    const count = changed.filter(Boolean).length;
    if (count === 0 || (count > 1 && !file.includes('*')))
      throw new Error(`${file} of ${folder} has no line "${from}".`);
  }
  if (language === 'go') await addNullableMoney(join(folder, 'utils.go'));
}

/** The generator writes the wrapper of fields that may be null for its own types only: that of Money is that of strings. */
async function addNullableMoney(path: string): Promise<void> {
  const utils = await readFile(path, 'utf8');
  const [wrapper = ''] = /^type NullableString struct[\s\S]*?(?=^type )/m.exec(utils) ?? [];
  await writeFile(path, `${utils}\n${wrapper.replaceAll('String', 'Money').replaceAll('string', 'Money')}`);
}

/** Whether the file had the text, which may be there only once. */
async function edit(path: string, from: string, to: string): Promise<boolean> {
  const [before = '', after, ...more] = (await readFile(path, 'utf8')).split(from);
  if (more.length > 0) throw new Error(`${path} has "${from}" more than once.`);
  if (after === undefined) return false;
  await writeFile(path, before + to + after);
  return true;
}
