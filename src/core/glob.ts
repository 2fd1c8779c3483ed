/** The regular expression for a complete match of a glob: `*` matches any characters, `?` a single one. */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/[\\^$.*+?()[\]{}|]/gu, (character) => {
    if (character === '*') return '.*';
    return character === '?' ? '.' : `\\${character}`;
  });
  return new RegExp(`^${source}$`, 'u');
}
