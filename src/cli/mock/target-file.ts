import { stringify } from 'yaml';
import type { Mock } from '../../mock/index.ts';
import type { Chosen } from './scenario.ts';

/** Requests per second: loopback needs no protection. */
const RATE = 10_000;

/**
 * The content of a target file for a running provider.
 *
 * @param ca file of the authority to trust; null without TLS
 */
export function targetOf(mock: Mock, { resources, clockRate }: Chosen, ca: string | null): object {
  const { authUrl, baseUrl, tenant, credentials, otherCredentials, expiredToken } = mock;
  return {
    name: 'mock',
    authUrl,
    baseUrl,
    tenant,
    credentials,
    otherCredentials,
    expiredToken,
    ...(resources === undefined ? {} : { resources: resources.map(listOf) }),
    ...(ca === null ? {} : { tls: { ca } }),
    limits: { requestsPerSecond: RATE },
    ...(clockRate === 1 ? {} : { expiry: { clockRate } }),
  };
}

// Every list of the mock contains printers, for any path.
function listOf({ path }: { readonly path: string }, index: number): object {
  const name = path.replace(/^.*\//u, '').replaceAll(/[^A-Za-z0-9._-]/gu, '') || `list-${index + 1}`;
  return { name, path, itemSchema: 'printer', idField: 'id' };
}

/**
 * A target file in YAML.
 *
 * @param about one line that describes the provider
 */
export function targetText(target: object, about: string): string {
  return `# ${about}\n${stringify(target, { lineWidth: 0 })}`;
}
