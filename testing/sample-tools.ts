/** Tools as a coding agent sends them, with the count of a public tokenizer (gpt-tokenizer 4.0.0, taken once). */

/** Three tools as a coding agent defines them, in chat's form. */
export const sampleTools = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      description:
        'Reads a file from the local filesystem. The path must be absolute, not relative. Reads up to 2000 lines by default, starting from the beginning of the file.',
      parameters: {
        type: 'object',
        properties: {
          file_path: { type: 'string', description: 'The absolute path to the file to read' },
          offset: {
            type: 'number',
            description: 'The line number to start reading from. Only provide if the file is too large to read at once',
          },
          limit: { type: 'number', description: 'The number of lines to read.' },
        },
        required: ['file_path'],
        additionalProperties: false,
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'run_command',
      description:
        'Executes a shell command and returns its output. Quote paths that contain spaces. A command that runs longer than the timeout is stopped.',
      parameters: {
        type: 'object',
        properties: {
          command: { type: 'string' },
          timeout: { type: 'integer', minimum: 1, maximum: 600000, description: 'Optional timeout in milliseconds' },
          description: {
            type: 'string',
            description: 'A clear, concise description of what the command does, in five to ten words.',
          },
          environment: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['command'],
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'search',
      description: 'Finds lines that match a regular expression.',
      parameters: {
        type: 'object',
        properties: {
          pattern: { type: 'string' },
          glob: { type: 'string', description: 'Which files to look at, such as *.ts' },
          output_mode: { type: 'string', enum: ['content', 'files_with_matches', 'count'] },
          case_insensitive: { type: 'boolean' },
        },
        required: ['pattern'],
      },
    },
  },
];

/** The counts of o200k: as JSON without spaces, and with a space after each colon and comma, as templates print it. */
export const sampleToolsCounts = { compact: 349, spaced: 436 };
