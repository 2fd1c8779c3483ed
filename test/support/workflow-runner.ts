/** Commands that GitHub's runner registers (`ActionCommandManager`); names are compared without case. */
const REGISTERED = new Set([
  'stop-commands',
  'set-env',
  'set-output',
  'save-state',
  'add-mask',
  'add-path',
  'add-matcher',
  'remove-matcher',
  'warning',
  'error',
  'notice',
  'debug',
  'group',
  'endgroup',
  'echo',
]);

/** Names of the commands that a CI runner finds in the output of a step, line by line. */
export function commandsIn(output: string): readonly string[] {
  return output
    .split(/\r\n|\r|\n/)
    .map((line) => parsedV2(line) ?? parsedV1(line) ?? parsedAzure(line))
    .filter((name) => name !== null);
}

// `ActionCommand.TryParseV2`: only at the start of a line, white space trimmed as .NET does it.
function parsedV2(line: string): string | null {
  const message = line.replace(/^[\s\u0085]+/, '');
  if (!message.startsWith('::')) return null;
  const end = message.indexOf('::', 2);
  return end < 0 ? null : registered(message.slice(2, end));
}

// `ActionCommand.TryParse`: anywhere in a line.
function parsedV1(line: string): string | null {
  const start = line.indexOf('##[');
  if (start < 0) return null;
  const end = line.indexOf(']', start);
  return end < 0 ? null : registered(line.slice(start + 3, end));
}

// Azure Pipelines: anywhere in a line.
function parsedAzure(line: string): string | null {
  return /##vso\[([^\s\]]+)/.exec(line)?.[1] ?? null;
}

function registered(info: string): string | null {
  const name = (info.split(' ')[0] ?? '').toLowerCase();
  return REGISTERED.has(name) ? name : null;
}
