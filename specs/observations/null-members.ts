import { observation } from '../../src/judge/observation.ts';

export const nullMembers = observation({
  id: 'observe/null-members',
  clause: ['2.3'],
  of: `Whether nextPageLink or count is null instead of being left out; every requirement treats null as absent. Needs
    attention.`,
  advice: 'Clients in typed languages often fail on null in place of a string; leave the member out.',
  scope: 'list',
  observe: ({ snapshots }) => {
    const pages = snapshots.at(0).pages();
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
