import type { MockOptions, Scenario } from '../../mock/index.ts';
import type { Arguments } from '../command.ts';
import { decimal, oneOf, text, texts, wholeNumber } from '../shared/arguments.ts';
import { UsageError } from '../shared/usage-error.ts';
import { defectHint } from './defect-names.ts';
import { readScenario } from './scenario.ts';
import { TOKEN_KINDS } from './token-kinds.ts';

/** Options of the provider, with those that messages mention. */
export type Chosen = MockOptions & {
  readonly records: number;
  readonly defects: readonly string[];
  readonly clockRate: number;
};

/**
 * Reads the options of `assay mock`. They take precedence over the scenario file; the defects of both are committed.
 *
 * @throws UsageError for a wrong option, TargetError for a wrong scenario file
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
  const held = latencyMs === null ? latency : { fixedMs: latencyMs };
  return {
    ...fromFile,
    records: wholeNumber(args, 'records', { least: 0, most: 10_000_000 }) ?? fromFile.records ?? 1234,
    port: wholeNumber(args, 'port', { least: 0, most: 65_535 }) ?? 0,
    defects: [...new Set([...always, ...wanted])],
    clockRate: decimal(args, 'clock-rate', { least: 0.001, most: 1_000_000 }) ?? fromFile.clockRate ?? 1,
    tokens: oneOf(args, 'tokens', TOKEN_KINDS) ?? fromFile.tokens ?? 'jwt',
    scenario: {
      ...(held === undefined ? {} : { latency: held }),
      ...(rules === undefined ? {} : { rules }),
    },
  };
}
