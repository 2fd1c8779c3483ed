import wrapAnsi from 'wrap-ansi';
import { anyRow, matchIds } from '../../../specs/catalogue.ts';
import { CHAPTERS, chapterOf, type Observation, type Requirement } from '../../core/requirement.ts';
import { clauseWords, firstWords, plural } from '../../report/wording/phrases.ts';
import { type Arguments, EXIT, type ExitStatus, type Host, UsageError } from '../command.ts';
import { defectsOf } from '../requirements/action.ts';
import { printFacts } from '../shared/options.ts';

const MAX_NAMED = 8;

export function performExplain(args: Arguments, host: Host): ExitStatus {
  const id = String(args['id']);
  const chapter = CHAPTERS.find((one) => one === id.replace(/\/$/u, ''));
  if (chapter !== undefined)
    throw new UsageError(`${chapter} is a chapter; name one of ${matchIds([`${chapter}/*`]).join(', ')}`);
  const row = anyRow(id);
  const width = Math.max(40, Math.min(host.out.width(), 100));
  const [facts, words] =
    'rule' in row
      ? [{ level: 'must', ...row, defects: defectsOf(row.id) }, explainRequirement(row, width)]
      : [{ level: 'observation', ...row }, explainObservation(row, width)];
  printFacts(facts, words, args, host);
  return EXIT.ok;
}

function explainRequirement(row: Requirement, width: number): string {
  const suite = row.smoke ? 'smoke, full and certify' : 'full and certify';
  return page(
    `${row.id} (${clauseWords(row.clause)}, chapter ${chapterOf(row.id)}, in the suites ${suite})`,
    [
      ['Rule', row.rule],
      ['Tested', row.tested],
      ['A breach', row.breach],
      ['Usual causes', row.causes],
      ['How to fix it', row.fix],
      ['Needs', row.needs ?? 'no special data or configuration'],
      ['Proven by', provenBy(row.id)],
    ],
    width,
  );
}

function provenBy(id: string): string {
  const all = defectsOf(id);
  return `${plural(all.length, 'defect')} that assay prove plants and assay mock --defect serves: ${firstWords(all, MAX_NAMED)}`;
}

function explainObservation(row: Observation, width: number): string {
  return page(
    `${row.id} (${clauseWords(row.clause)}, an observation: recorded and shown, never failed)`,
    [['Records', row.of], ...(row.advice === null ? [] : [['Advice', row.advice] as const])],
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
