/** Environment variables that a browser needs, in addition to those with one of `PREFIXES`. */
const NAMES = new Set([
  'PATH',
  'HOME',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TZ',
  'USER',
  'LANG',
  'LANGUAGE',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'LD_LIBRARY_PATH',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'USERPROFILE',
]);
const PREFIXES = ['LC_', 'FONTCONFIG_', 'XDG_'];

/** The environment for a browser that prints a page, without secrets and signing keys. */
export function browserEnvironment(env: NodeJS.ProcessEnv): { [name: string]: string } {
  const kept: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(env)) {
    // Windows ignores the letter case of names.
    const upper = name.toUpperCase();
    const needed = NAMES.has(upper) || PREFIXES.some((beginning) => upper.startsWith(beginning));
    if (needed && value !== undefined) kept[name] = value;
  }
  return kept;
}

/** The environment for a child process without the signing key. */
export function withoutSigningKey(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ASSAY_SIGNING_KEY: _key, ...rest } = env;
  return rest;
}
