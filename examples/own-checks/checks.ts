import { type CustomCheck, list, type Placed } from 'assay';

interface Printer {
  readonly displayName: string;
}

function nameOf({ record }: Placed): string {
  return (record as unknown as Printer).displayName;
}

export const checks: readonly CustomCheck[] = [
  list(
    'x/names-fit-a-label',
    { rule: 'A display name has at most 60 characters.', needs: 'a list with records' },
    async ({ records, expect }) => {
      for await (const placed of records()) {
        const { length } = nameOf(placed);
        expect(length <= 60, { message: `a name has ${length} characters`, expected: 60, actual: length });
      }
    },
  ),
];
