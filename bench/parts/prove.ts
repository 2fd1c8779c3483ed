import { measureInterleaved, type Row } from '../comparison.ts';
import type { Part } from '../part.ts';
import { command } from '../paths.ts';
import { spreadOf } from '../statistics.ts';

export const prove: Part = {
  name: 'prove',
  about: '`assay prove`: the suite against every defect and every conforming variant.',
  measure: async (folder): Promise<readonly Row[]> => {
    const { prove: costs } = await measureInterleaved(
      { prove: { words: [command, 'prove'], cwd: folder } },
      { times: 1, warm: 0 },
    );
    const value = spreadOf(costs.map(({ wallMs }) => wallMs / 1000));
    return [{ what: 'assay prove', value, unit: 's', bar: 60 }];
  },
};
