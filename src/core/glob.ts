/** The expression that matches a glob as a whole: `*` any characters, `?` any single one. */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/[\\^$.*+?()[\]{}|]/gu, (character) => {
    if (character === '*') return '.*';
    return character === '?' ? '.' : `\\${character}`;
  });
  return new RegExp(`^${source}$`, 'u');
}
