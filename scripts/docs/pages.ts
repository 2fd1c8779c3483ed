import { commandPage } from './command-line.ts';
import type { Page } from './markdown.ts';
import { requirementPages } from './requirements.ts';
import { schemaPage } from './schema.ts';

const TARGET_FILES = `A target file, YAML or JSON, says where a provider is and how to reach it. Unknown keys are errors.

- \`ASSAY_AUTH_URL\`, \`ASSAY_BASE_URL\`, \`ASSAY_CLIENT_ID\`, \`ASSAY_CLIENT_SECRET\`, \`ASSAY_SCOPE\` and \`ASSAY_TENANT\` in the
  environment set the keys of those names. With one target file, they override it. Without a target file, they are the target,
  and all but the tenant are required. With several files, a variable that would change one of them is an error.
- Options of a command override the environment and the file.
- \`\${NAME}\` in a target file reads a variable from the environment, or else from an environment file: \`.env\` beside the target
  file, or the file of \`--env FILE\`. A line of it looks like \`ASSAY_CLIENT_SECRET='…'\`. Without a target file, the \`ASSAY_\`
  variables of \`--env FILE\` are the target.
- Assay removes secrets from everything that it prints and writes, wherever they come from. Keep \`.env\` out of version control.`;

/** All generated pages; paths are relative to docs/. */
export function generatedPages(): readonly Page[] {
  return [
    commandPage(),
    ...requirementPages(),
    schemaPage('configuration.md', 'target', {
      title: 'Target files',
      intro: TARGET_FILES,
    }),
    schemaPage('scenarios.md', 'scenario', {
      title: 'Scenario files',
      intro: 'What `assay mock --scenario FILE` reads. [The mock](mock.md#scenario-files) shows one.',
    }),
  ];
}
