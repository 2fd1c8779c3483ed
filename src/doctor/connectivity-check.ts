import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import type { Failure } from '../core/exchange.ts';
import { failureFrom } from '../http/failure.ts';
import { proxyFor } from '../http/proxy.ts';
import { originDiagnosis } from '../provider/diagnosis.ts';
import type { ConnectivityOptions } from './connectivity-options.ts';
import { makeStep, type Step } from './diagnosis-step.ts';
import { capitalised, formatMs, hostOf, portOf } from './text.ts';
import { checkTls } from './tls-check.ts';

/** Checks proxy, DNS, TCP and TLS of an origin, and stops at the first problem. */
export async function checkConnectivity(
  origin: string,
  reaching: ConnectivityOptions,
): Promise<readonly Step[]> {
  const url = new URL(origin);
  let proxy: URL | null;
  try {
    proxy = proxyFor(url, reaching.env);
  } catch (error) {
    return [makeStep('proxy', 'problem', `${error instanceof Error ? error.message : String(error)}.`)];
  }
  if (proxy !== null) return checkProxy(url, proxy, reaching);
  const steps: Step[] = [await checkName(url, reaching)];
  if (steps.some(({ finding }) => finding === 'problem')) return steps;
  steps.push(await checkConnection(url, origin, reaching));
  if (url.protocol === 'https:' && steps.every(({ finding }) => finding !== 'problem'))
    steps.push(...(await checkTls(url, reaching)));
  return steps;
}

async function checkProxy(url: URL, proxy: URL, reaching: ConnectivityOptions): Promise<readonly Step[]> {
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxyStep = makeStep(
    'proxy',
    'ok',
    `${url.origin} is reached through the proxy ${proxy.origin} (${variable}), which resolves its address; the checks end at the proxy.`,
  );
  return [proxyStep, await checkConnection(proxy, proxy.origin, reaching)];
}

async function checkName(url: URL, { target }: ConnectivityOptions): Promise<Step> {
  const host = hostOf(url);
  try {
    const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
    const result =
      addresses.length === 1 && addresses[0] === host
        ? 'is an address'
        : `resolves to ${listAddresses(addresses)}`;
    return makeStep('dns', 'ok', `${host} ${result}.`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const failure = { code: 'unresolved', message: `the name ${host} has no address (${code})` } as const;
    return makeStep(
      'dns',
      'problem',
      `${capitalised(originDiagnosis(failure, url.origin, target).sentence)}.`,
    );
  }
}

function listAddresses(addresses: readonly string[]): string {
  const listed = addresses.slice(0, 3).join(', ');
  return addresses.length > 3 ? `${listed} and ${addresses.length - 3} more` : listed;
}

async function checkConnection(url: URL, origin: string, { target }: ConnectivityOptions): Promise<Step> {
  const startedAt = performance.now();
  const timeout = target.limits.connectTimeoutMs;
  const failure = await new Promise<Failure | null>((resolve) => {
    const socket = connect({ host: hostOf(url), port: portOf(url), timeout });
    failOnClose(socket, resolve);
    socket.once('connect', () => finish(socket, resolve, null));
    socket.once('timeout', () =>
      finish(socket, resolve, {
        code: 'connect-timeout',
        message: `${origin} does not answer within ${timeout} milliseconds (limits.connectTimeoutMs)`,
      }),
    );
    socket.once('error', (error) => {
      const situation = { origin, proxy: null, connected: false, reached: false, answered: false };
      finish(socket, resolve, failureFrom(error, { ...situation, maxHeaderBytes: 0 }));
    });
  });
  if (failure !== null)
    return makeStep('tcp', 'problem', `${capitalised(originDiagnosis(failure, origin, target).sentence)}.`);
  return makeStep(
    'tcp',
    'ok',
    `${url.host} accepts connections (${formatMs(performance.now() - startedAt)}).`,
  );
}

function finish(socket: Socket, resolve: (failure: Failure | null) => void, failure: Failure | null): void {
  socket.destroy();
  resolve(failure);
}

function failOnClose(socket: Socket, resolve: (failure: Failure | null) => void): void {
  socket.once('close', () => resolve({ code: 'closed', message: 'the connection was closed' }));
}
