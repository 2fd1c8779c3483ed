import wrapAnsi from 'wrap-ansi';
import { chapterOf, observation, requirement } from '../../catalogue/index.ts';
import { enumeration } from '../../report/words.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-status.ts';

/** `assay explain ID`: everything the catalogue says of one row. */
export const explainCommand: Command = {
  name: 'explain',
  usage: 'explain <id>',
  summary: 'Shows one requirement: rule, clause, how it is tested, what a breach looks like, what causes it',
  positionals: { id: { type: 'string', describe: 'identifier, such as link/offset' } },
  options: {},
  examples: [['assay explain link/offset', 'what link/offset asks for']],
  execute: (args, host) => {
    const id = String(args['id']);
    const width = Math.max(40, Math.min(host.out.width(), 100));
    host.out.write(id.startsWith('observe/') ? explainObservation(id, width) : explainRequirement(id, width));
    return Promise.resolve(EXIT.ok);
  },
};

function explainRequirement(id: string, width: number): string {
  const row = requirement(id);
  const suite = row.smoke ? 'smoke, full and certify' : 'full and certify';
  return page(
    `${row.id} (clause ${enumeration(row.clause)}, chapter ${chapterOf(row.id)}, in the suites ${suite})`,
    [
      ['Rule', row.rule],
      ['Tested', row.tested],
      ['A breach', row.breach],
      ['Usual causes', row.causes],
      ['Needs', row.needs ?? 'nothing of the data or of the target file'],
    ],
    width,
  );
}

function explainObservation(id: string, width: number): string {
  const row = observation(id);
  return page(
    `${row.id} (clause ${enumeration(row.clause)}, an observation: recorded and shown, never failed)`,
    [['Looks at', row.of]],
    width,
  );
}

function page(
  title: string,
  parts: readonly (readonly [name: string, text: string])[],
  width: number,
): string {
  const blocks = parts.map(([name, text]) => {
    const lines = wrapAnsi(text, width - 2).split('\n');
    return [name, ...lines.map((line) => `  ${line}`)].join('\n');
  });
  return `${[wrapAnsi(title, width), ...blocks].join('\n\n')}\n`;
}
