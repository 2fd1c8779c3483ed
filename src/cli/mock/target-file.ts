import type { Mock } from '../../mock/index.ts';
import { enumeration, plural } from '../../report/phrases.ts';
import type { Chosen } from './options.ts';

/** Description of the provider, as part of a sentence. */
export function summaryOf({ records, defects: always, scenario }: Chosen): string {
  const rules = scenario?.rules?.length ?? 0;
  const deviations = [...always, ...(rules === 0 ? [] : [plural(rules, 'rule')])];
  return deviations.length === 0
    ? plural(records, 'record')
    : `${plural(records, 'record')} with ${enumeration(deviations)}`;
}

/**
 * A target file for a running provider: YAML, with strings quoted as in JSON.
 *
 * @param ca file of the authority to trust; null without TLS
 */
export function targetFile(mock: Mock, options: Chosen, ca: string | null): string {
  const quoted = JSON.stringify;
  const pair = (name: string, { clientId, clientSecret, scope }: Mock['credentials']): readonly string[] => [
    `${name}:`,
    `  clientId: ${quoted(clientId)}`,
    `  clientSecret: ${quoted(clientSecret)}`,
    `  scope: ${quoted(scope)}`,
  ];
  return `${[
    `# The reference provider of Assay: ${summaryOf(options)}.`,
    'name: mock',
    `authUrl: ${quoted(mock.authUrl)}`,
    `baseUrl: ${quoted(mock.baseUrl)}`,
    `tenant: ${quoted(mock.tenant)}`,
    ...pair('credentials', mock.credentials),
    ...pair('otherCredentials', mock.otherCredentials),
    `expiredToken: ${quoted(mock.expiredToken)}`,
    ...resourceLines(options),
    ...(ca === null ? [] : ['tls:', `  ca: ${quoted(ca)}`]),
    'limits:',
    '  requestsPerSecond: 10000',
    ...(options.clockRate === 1 ? [] : ['expiry:', `  clockRate: ${options.clockRate}`]),
  ].join('\n')}\n`;
}

// Every list of the mock contains printers, for any path.
function resourceLines({ resources }: Chosen): readonly string[] {
  if (resources === undefined) return [];
  const entries = resources.map(({ path }, index) => {
    const name = path.replace(/^.*\//u, '').replaceAll(/[^A-Za-z0-9._-]/gu, '') || `list-${index + 1}`;
    return `  - {name: ${JSON.stringify(name)}, path: ${JSON.stringify(path)}, itemSchema: printer, idField: id}`;
  });
  return ['resources:', ...entries];
}
