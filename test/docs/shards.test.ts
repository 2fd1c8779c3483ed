import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { packageFile } from '../../src/core/package-file.ts';

const read = (file: string): string => readFileSync(packageFile(file), 'utf8');

describe('the examples of shards', () => {
  test('the matrix has as many members as each shard says', () => {
    const { jobs } = parse(read('examples/shards/github.yml')) as {
      readonly jobs: {
        readonly shard: {
          readonly strategy: { readonly matrix: { readonly shard: readonly number[] } };
          readonly steps: readonly { readonly run?: string }[];
        };
      };
    };
    const { matrix } = jobs.shard.strategy;
    const run = jobs.shard.steps.map((step) => step.run ?? '').find((text) => text.includes('--shard'));
    expect(run).toContain(`/${matrix.shard.length} `);
    expect(matrix.shard).toEqual(matrix.shard.map((_shard, index) => index + 1));
  });

  test('the indexed Job completes as many shards as each says', () => {
    const [job] = parseAllDocuments(read('examples/shards/kubernetes.yaml')).map(
      (document) =>
        document.toJS() as {
          readonly spec: {
            readonly completionMode: string;
            readonly completions: number;
            readonly template: {
              readonly spec: { readonly containers: readonly { readonly command: readonly string[] }[] };
            };
          };
        },
    );
    expect(job?.spec.completionMode).toBe('Indexed');
    const command = job?.spec.template.spec.containers[0]?.command.at(-1);
    expect(command).toContain(`--shard "$((JOB_COMPLETION_INDEX + 1))/${job?.spec.completions}"`);
  });
});
