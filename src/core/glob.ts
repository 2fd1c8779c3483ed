/** The expression that matches what a glob names as a whole: `*` any run of characters, `?` any one. */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/[\\^$.*+?()[\]{}|]/gu, (character) => {
    if (character === '*') return '.*';
    return character === '?' ? '.' : `\\${character}`;
  });
  return new RegExp(`^${source}$`, 'u');
}
