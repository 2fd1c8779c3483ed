import { describe, expect, it } from 'vitest';
import { type Defect, defects } from '../../../src/mock/index.ts';
import { rowOfDefect } from '../../../src/prove/matrix.ts';
import { runTrial } from '../../../src/prove/trial.ts';
import { defectTrial } from '../../../src/prove/trial-selection.ts';

async function violationsOf(defect: Defect, only: readonly string[]) {
  return rowOfDefect(defect, await runTrial({ ...defectTrial([defect], 1), only }, null)).killedBy;
}

describe('the first violation of the requirement that a defect breaks', () => {
  it('names the cause: it contains the keywords of the defect', async () => {
    const silent: string[] = [];
    for (const defect of defects) {
      let violations = await violationsOf(defect, defect.must);
      // Some show after more calls than one check makes.
      if (violations.length === 0) violations = await violationsOf(defect, []);
      if (violations.length === 0) silent.push(`${defect.id} was not found`);
      for (const { requirement, sentence } of violations)
        if (!defect.keywords.every((word) => sentence.toLowerCase().includes(word)))
          silent.push(`${defect.id} (${defect.keywords.join(', ')}): ${requirement}, ${sentence}`);
    }
    expect(silent).toEqual([]);
  }, 300_000);
});
