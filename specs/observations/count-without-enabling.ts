import { observation } from '../../src/judge/observe.ts';

export const countWithoutEnabling = observation({
  id: 'observe/count-without-enabling',
  clause: ['2.3'],
  of: 'Whether count is given although $count was not enabled.',
  advice: null,
  scope: 'list',
  asks: false,
  observe: ({ looks }) => {
    const pages = looks
      .at(0)
      .pages()
      .filter(({ target }) => !/count=true/i.test(target));
    if (pages.length === 0) return null;
    const given = pages.filter(({ count }) => count !== undefined);
    return {
      value:
        given.length === 0
          ? 'no count'
          : given.length === pages.length
            ? 'count is given all the same'
            : 'count is given now and then',
      exchanges: given.slice(0, 5).map(({ exchange }) => exchange),
    };
  },
});
