import { observation } from '../../src/judge/observe.ts';

export const nullMembers = observation({
  id: 'observe/null-members',
  clause: ['2.3'],
  of: 'Whether nextPageLink or count is written as null where it should be left out; every rule takes null for absent. Worth a look.',
  advice:
    'Clients of typed languages often read null where a string is announced as a fault; leave the member out.',
  scope: 'list',
  asks: false,
  observe: ({ looks }) => {
    const pages = looks.at(0).pages();
    const nulls = pages.filter((page) => page.nulls.length > 0);
    const names = [...new Set(nulls.flatMap((page) => page.nulls))];
    if (pages.length === 0) return null;
    return {
      value: names.length === 0 ? 'none' : `${names.join(' and ')} given as null`,
      attention: names.length > 0,
      exchanges: nulls.slice(0, 5).map(({ exchange }) => exchange),
    };
  },
});
