/** A 31-bit number from a seed and a label (FNV-1a hash). */
export function seededNumber(seed: number, label: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < label.length; index++)
    hash = Math.imul(hash ^ label.charCodeAt(index), 0x01000193);
  return hash >>> 1;
}
