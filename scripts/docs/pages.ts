import { commandPage } from './command-line.ts';
import type { Page } from './markdown.ts';
import { requirementPages } from './requirements.ts';
import { schemaPage } from './schema.ts';

/** Every page that is made from the code, by its path below docs/. */
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
        'the tenant. With several files a variable that would change one of them is refused.',
    }),
    schemaPage('scenarios.md', 'scenario', {
      title: 'Scenario files',
      intro: 'What `assay mock --scenario FILE` reads. [The mock](mock.md) shows how to use it.',
    }),
  ];
}
