import { observations, requirements } from '../../specs/catalogue.ts';
import { CHAPTERS, chapterOf, type Requirement } from '../../src/core/requirement.ts';
import { type Defect, defects } from '../../src/mock/index.ts';
import { type Page, page, plain, table } from './markdown.ts';

const SOURCE = 'specs and src/mock/defects';

/** One page for each requirement, one for all observations, and one that lists them. */
export function requirementPages(): readonly Page[] {
  return [index(), ...requirements.map(requirementPage), observationsPage()];
}

/** Path of a requirement's page below docs/. */
export function pathOf(id: string): string {
  return `requirements/${id.replace('/', '-')}.md`;
}

function index(): Page {
  const rows = (chapter: string): readonly (readonly string[])[] =>
    requirements
      .filter(({ id }) => chapterOf(id) === chapter)
      .map(({ id, clause, smoke, rule }) => [
        `[${id}](${pathOf(id).replace('requirements/', '')})`,
        clause.join(', '),
        smoke ? 'yes' : '',
        plain(rule),
      ]);
  return page('requirements/README.md', SOURCE, [
    '# Requirements',
    `The ${requirements.length} requirements of the specification, one page each. ` +
      'Identifiers never change. What the specification leaves open is [observed](observations.md) and never fails.',
    ...CHAPTERS.flatMap((chapter) => [
      `## ${chapter}`,
      table(['requirement', 'clause', 'smoke', 'rule'], rows(chapter)),
    ]),
  ]);
}

function requirementPage(row: Requirement): Page {
  const proving = defects.filter(({ must }) => must.includes(row.id));
  const suites = row.smoke ? 'smoke, full and certify' : 'full and certify';
  return page(pathOf(row.id), SOURCE, [
    `# ${row.id}`,
    `Clause ${row.clause.join(', ')}. In the suites ${suites}. [All requirements](README.md)`,
    plain(row.rule),
    row.needs === null
      ? null
      : `Needs ${plain(row.needs)}. Otherwise it is not tested, and the report gives the reason.`,
    `## How it is tested\n\n${plain(row.tested)}`,
    `## What a breach looks like\n\n${plain(row.breach)}`,
    `## What usually causes it\n\n${plain(row.causes)}`,
    `## How to fix it\n\n${plain(row.fix)}`,
    seeItFail(row.id, proving),
    `## Defects that test it\n\nThe reference provider can have each of these defects, and \`assay prove\` checks that Assay finds it.`,
    table(
      ['defect', 'difficulty', 'what it does'],
      proving.map(({ id, difficulty, sentence }) => [`\`${id}\``, difficulty, plain(sentence)]),
    ),
  ]);
}

function seeItFail(id: string, proving: readonly Defect[]): string | null {
  const alone = proving.filter(({ must, may }) => must.length === 1 && may.length === 0);
  const [shown] = [...alone, ...proving].toSorted((left, right) => effort(left) - effort(right));
  if (shown === undefined) return null;
  const { needs, records } = shown;
  const mock = [
    `npx assay mock --defect ${shown.id}`,
    ...(records === 1234 ? [] : [`--records ${records}`]),
    // Two hours take four seconds.
    ...(needs.expiry === true ? ['--clock-rate 1800'] : []),
    ...(needs.tokens === undefined ? [] : [`--tokens ${needs.tokens}`]),
  ].join(' ');
  const selection = needs.wholeSuite === true ? '' : ` --only ${id}`;
  const run = `npx assay run broken.yaml${selection}${needs.expiry === true ? ' --expiry' : ''}`;
  const shell = [`${mock} > broken.yaml &`, 'sleep 3', run, 'kill %%'].join('\n');
  return ['## See it fail', `\`\`\`sh\n${shell}\n\`\`\``].join('\n\n');
}

// Sorts the defect that is quickest to reproduce first.
function effort({ needs, difficulty, records }: Defect): number {
  const hard = ['plain', 'hidden', 'subtle'].indexOf(difficulty);
  return hard + (needs.expiry === true ? 10 : 0) + (records > 5000 ? 5 : 0);
}

function observationsPage(): Page {
  return page('requirements/observations.md', SOURCE, [
    '# Observations',
    'The specification leaves these open. What a provider does is recorded and shown, some of it with a call for ' +
      'attention; it never fails a run.',
    table(
      ['observation', 'clause', 'what is observed'],
      observations.map(({ id, clause, of }) => [`\`${id}\``, clause.join(', '), plain(of)]),
    ),
  ]);
}
