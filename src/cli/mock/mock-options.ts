import type { MockOptions, Scenario } from '../../mock/index.ts';
import { decimal, oneOf, text, texts, wholeNumber } from '../arguments.ts';
import type { Arguments } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { defectHint } from './defect-names.ts';
import { readScenario } from './scenario-file.ts';

/** What the provider is started with, as far as words about it need to know. */
export type Chosen = MockOptions & {
  readonly records: number;
  readonly defects: readonly string[];
  readonly clockRate: number;
};

/**
 * The provider that a command line asks for. Flags win over the scenario file; defects of both are committed.
 *
 * @throws UsageError for a flag that is wrong, TargetError for a scenario file that is
 */
export async function readMockOptions(args: Arguments): Promise<Chosen> {
  const wanted = texts(args, 'defect');
  for (const id of wanted) {
    const hint = defectHint(id);
    if (hint !== null) throw new UsageError(`unknown defect "${id}"${hint}`);
  }
  const file = text(args, 'scenario');
  const scenario: Scenario = file === null ? {} : await readScenario(file);
  const { latency, rules, defects: always = [], ...settled } = scenario;
  const latencyMs = wholeNumber(args, 'latency', { least: 0, most: 600_000 });
  const held = latencyMs === null ? latency : { fixedMs: latencyMs };
  return {
    ...settled,
    records: wholeNumber(args, 'records', { least: 0, most: 10_000_000 }) ?? settled.records ?? 1234,
    port: wholeNumber(args, 'port', { least: 0, most: 65_535 }) ?? 0,
    defects: [...new Set([...always, ...wanted])],
    clockRate: decimal(args, 'clock-rate', { least: 0.001, most: 1_000_000 }) ?? settled.clockRate ?? 1,
    tokens: oneOf(args, 'tokens', ['jwt', 'opaque'] as const) ?? settled.tokens ?? 'jwt',
    scenario: {
      ...(held === undefined ? {} : { latency: held }),
      ...(rules === undefined ? {} : { rules }),
    },
  };
}
