import { commandPage } from './command-line.ts';
import type { Page } from './markdown.ts';
import { requirementPages } from './requirements.ts';
import { schemaPage } from './schema.ts';

/** All generated pages; paths are relative to docs/. */
export function generatedPages(): readonly Page[] {
  return [
    commandPage(),
    ...requirementPages(),
    schemaPage('configuration.md', 'target', {
      title: 'Target files',
      intro:
        'A target file, YAML or JSON, says where a provider is and how to reach it. Unknown keys are errors. ' +
        'Flags win over the environment, and the environment over the file. `ASSAY_AUTH_URL`, `ASSAY_BASE_URL`, ' +
        '`ASSAY_CLIENT_ID`, `ASSAY_CLIENT_SECRET`, `ASSAY_SCOPE` and `ASSAY_TENANT` stand for the keys of those names: ' +
        'over those of the one file that is named, or, where none is, for a target of their own, which then needs all but ' +
        'the tenant. With several files a variable that would change one of them is refused.\n\n' +
        'Variables that a target file reads as `${NAME}` come from the environment, or from an environment file: `.env` ' +
        'beside the target file, or the file that `--env FILE` names instead. It has lines such as ' +
        "`ASSAY_CLIENT_SECRET='…'`. The environment wins over it. It replaces nothing that the target file says; without a " +
        'target file, the `ASSAY_` variables of `--env FILE` describe the target. Its values are treated like those of the ' +
        'environment: secrets are removed from everything that Assay prints and writes. Keep it out of version control.',
    }),
    schemaPage('scenarios.md', 'scenario', {
      title: 'Scenario files',
      intro: 'What `assay mock --scenario FILE` reads. [The mock](mock.md#scenario-files) shows one.',
    }),
  ];
}
