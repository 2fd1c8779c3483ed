/** Whether a value has the members of a manifest that are read. The file may come from anyone. */
export function isManifestShaped(value: unknown): boolean {
  if (!isRecord(value) || typeof value['self'] !== 'string') return false;
  const { tool, run, targets, signer, files } = value;
  return (
    isRecord(tool) &&
    hasText(tool, 'version', 'package') &&
    isRecord(run) &&
    hasText(run, 'id', 'suite', 'outcome') &&
    Array.isArray(targets) &&
    targets.every((target) => isRecord(target) && hasText(target, 'name')) &&
    (signer === null || (isRecord(signer) && hasText(signer, 'id', 'publicKey'))) &&
    isRecord(files) &&
    Object.values(files).every(
      (file) => isRecord(file) && hasText(file, 'sha256') && typeof file['bytes'] === 'number',
    )
  );
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasText(value: { readonly [name: string]: unknown }, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string');
}
