import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of tests that take minutes on two cores: where one of them starts last, everything else waits for it. */
const LONG =
  /\/system\/(hostile\/(memory|corpus|exchanges)|outcomes\/(situations|outages)|docs\/pages|suite\/replay)\./;

/** Starts the longest files first. Without the times of earlier runs, Vitest starts the largest files first. */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
