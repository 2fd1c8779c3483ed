import { observation, parameterIn } from '../../src/judge/observation.ts';

export const countWithoutEnabling = observation({
  id: 'observe/count-without-enabling',
  clause: ['2.3'],
  of: 'Whether pages contain count although the request did not set $count.',
  scope: 'list',
  observe: ({ snapshots }) => {
    const pages = snapshots
      .at(0)
      .pages()
      .filter(({ target }) => parameterIn(target, '$count') === null);
    if (pages.length === 0) return null;
    const given = pages.filter(({ count }) => count !== undefined);
    return {
      value:
        given.length === 0
          ? 'no count'
          : given.length === pages.length
            ? 'count is always given'
            : 'count is sometimes given',
      exchanges: given.slice(0, 5).map(({ exchange }) => exchange),
    };
  },
});
