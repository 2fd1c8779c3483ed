import { observation } from '../../src/judge/observation.ts';

export const furtherMembers = observation({
  id: 'observe/further-members',
  clause: ['2.2', '2.3'],
  of: 'Names of members of envelopes and items beyond the specified ones.',
  advice: 'Clients should ignore unknown members, so that providers can add new ones.',
  scope: 'list',
  observe: ({ snapshots }) => {
    const pages = snapshots.at(0).pages();
    if (pages.length === 0) return null;
    const envelope = [...new Set(pages.flatMap(({ furtherMembers }) => furtherMembers))].sort();
    const items = [...new Set(pages.flatMap(({ furtherItemMembers }) => furtherItemMembers))].sort();
    const parts = [
      ...(envelope.length === 0 ? [] : [`${envelope.join(', ')} in the envelope`]),
      ...(items.length === 0 ? [] : [`${items.join(', ')} in items`]),
    ];
    return { value: parts.join('; ') || 'none', detail: { envelope, items } };
  },
});
