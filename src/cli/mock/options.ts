import type { MockOptions, Scenario } from '../../mock/index.ts';
import type { Arguments } from '../command.ts';
import { decimal, oneOf, text, texts, wholeNumber } from '../shared/arguments.ts';
import { TOKEN_KINDS } from '../shared/option-values.ts';
import { UsageError } from '../shared/usage-error.ts';
import { defectHint, readScenario } from './scenario.ts';

/** Options of the provider; those that messages mention are required. */
export type Chosen = MockOptions & {
  readonly records: number;
  readonly defects: readonly string[];
  readonly clockRate: number;
};

/**
 * Reads the options of `assay mock`. They take precedence over the scenario file, except that the defects of
 * both are used.
 *
 * @throws UsageError for an invalid option, TargetError for an invalid scenario file
 */
export async function readMockOptions(args: Arguments): Promise<Chosen> {
  const wanted = texts(args, 'defect');
  for (const id of wanted) {
    const hint = defectHint(id);
    if (hint !== null) throw new UsageError(`unknown defect "${id}"${hint}`);
  }
  const file = text(args, 'scenario');
  const scenario: Scenario = file === null ? {} : await readScenario(file);
  const { latency, rules, defects: always = [], ...fromFile } = scenario;
  const latencyMs = wholeNumber(args, 'latency', { least: 0, most: 600_000 });
  const latencyProfile = latencyMs === null ? latency : { fixedMs: latencyMs };
  return {
    ...fromFile,
    records: wholeNumber(args, 'records', { least: 0, most: 10_000_000 }) ?? fromFile.records ?? 1234,
    port: wholeNumber(args, 'port', { least: 0, most: 65_535 }) ?? 0,
    defects: [...new Set([...always, ...wanted])],
    clockRate: decimal(args, 'clock-rate', { least: 0.001, most: 1_000_000 }) ?? fromFile.clockRate ?? 1,
    tokens: oneOf(args, 'tokens', TOKEN_KINDS) ?? fromFile.tokens ?? 'jwt',
    scenario: {
      ...(latencyProfile === undefined ? {} : { latency: latencyProfile }),
      ...(rules === undefined ? {} : { rules }),
    },
  };
}
