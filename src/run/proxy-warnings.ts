import { proxyFor } from '../http/proxy.ts';
import { originsOf } from '../target/make.ts';
import type { Target } from '../target/target.ts';

/** Warns of plain http through a proxy: unlike with TLS, the proxy can answer in place of the provider. */
export function proxyWarnings(target: Target, env: NodeJS.ProcessEnv): readonly string[] {
  return originsOf(target).flatMap((origin) => {
    const proxy = origin.startsWith('http:') ? proxyOrNull(new URL(origin), env) : null;
    if (proxy === null) return [];
    return `${target.name}: ${origin} is plain http through the proxy ${proxy.host} (HTTP_PROXY), whose answers count as those of the provider`;
  });
}

function proxyOrNull(url: URL, env: NodeJS.ProcessEnv): URL | null {
  try {
    return proxyFor(url, env);
  } catch {
    // The run reports an invalid setting.
    return null;
  }
}
