import { type Defect, defectsWith, hidden, type Row, shownRarely } from '../catalogue-rows.ts';
import { wrap } from '../changes.ts';
import type { Service } from '../pipeline.ts';

/** A gate that checks the beginning of a path only. */
const prefixGuard = {
  guards: (path: string, service: Service) => path.startsWith(`${service.basePath}/v1/`),
  how: 'guards paths that begin with /v1/',
};

const exactGuard = {
  guards: (path: string, { basePath, resources }: Service) =>
    resources.some((one) => basePath + one.path === path),
  how: 'compares the path exactly',
};

/** A gate that compares paths more strictly than the router behind it, so that some spellings are not guarded. */
function laxRouter(words: string, tidy: (path: string) => string, { guards, how } = exactGuard): Row {
  return hidden(
    `The gate ${how} but the router ${words}, so a path in that spelling gives records without an Authorization header.`,
  ).by(
    wrap('route', (route) => (request, service) => {
      const exact = route(request, service);
      return exact ?? route({ ...request, path: tidy(request.path) }, service);
    }),
    wrap('guarded', (guarded) => (request, service) => {
      // Only paths that the lax router maps to a list are unguarded; other unknown paths stay guarded.
      const isMisread = !guards(request.path, service) && service.steps.route(request, service) !== undefined;
      return guarded(request, service) && !isMisread;
    }),
  );
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function pathnameOf(path: string): string {
  return new URL(path.replace(/^\/+/, '/'), 'http://provider.example').pathname;
}

function resolveDotSegments(path: string): string {
  return decodePath(pathnameOf(path));
}

const routers = defectsWith({ keywords: ['authorization'], must: ['authorization/required'] })({
  'gate-trailing-slash': laxRouter('ignores a trailing slash', (path) => path.replace(/\/+$/, '')),
  'gate-double-slash': laxRouter('merges double slashes', (path) => path.replace(/\/{2,}/g, '/')),
  'gate-dot-segments-only': laxRouter('resolves dot segments and decodes nothing', pathnameOf),
  'gate-letter-case': laxRouter('ignores letter case', (path) => path.toLowerCase()),
  'gate-encoded-letters': laxRouter('decodes percent-encoded letters', decodePath),
  'gate-dot-segments': laxRouter('resolves dot segments', resolveDotSegments),
  'gate-prefix-letter-case': laxRouter('ignores letter case', (path) => path.toLowerCase(), prefixGuard),
  'gate-prefix-encoded-letters': laxRouter('decodes percent-encoded letters', decodePath, prefixGuard),
  'gate-public-prefix': laxRouter('resolves dot segments', resolveDotSegments, {
    guards: (path) => !path.startsWith('/connect/'),
    how: 'does not guard paths that begin with /connect/',
  }),
});

const rareRouters = shownRarely(
  defectsWith({ keywords: ['authorization'], must: ['authorization/required'] })({
    'gate-letter-case-of-one-segment': laxRouter('ignores the letter case of the last segment', (path) =>
      path.replace(/[^/]+$/, (last) => last.toLowerCase()),
    ),
    'gate-format-suffix': laxRouter('accepts the suffix .json', (path) => path.replace(/\.json$/, '')),
    'gate-current-directory': laxRouter('removes one dot segment that names the same directory', (path) =>
      path.replace('/./', '/'),
    ),
    'gate-current-directory-at-the-end': laxRouter('removes a dot segment at the end', (path) =>
      path.replace(/\/\.\/$/, ''),
    ),
    'gate-encoded-slash-at-the-end': laxRouter('ignores an encoded slash at the end', (path) =>
      path.replace(/%2f$/i, ''),
    ),
    'gate-first-segment-encoded': laxRouter('decodes the first segment', (path) =>
      path.replace(/^\/[^/]+/, decodeURIComponent),
    ),
  }).map((defect): Defect => ({ ...defect, difficulty: 'subtle' })),
);

/** Defects that give records without an Authorization header, for unusual spellings of the path. */
export const pathDefects = [...routers, ...rareRouters];
