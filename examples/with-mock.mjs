// Starts the reference provider, sets the ASSAY_ variables to its URLs and credentials, and runs a command.
//
//   node with-mock.mjs npx assay run own-checks/target.yaml
import { spawn } from 'node:child_process';
import { startMock } from 'assay';

const [command, ...words] = process.argv.slice(2);
if (command === undefined) end('usage: node with-mock.mjs COMMAND [ARGUMENT...]');
const mock = await startMock({
  resources: [{ path: '/v1/printers' }, { path: '/v2/devices', records: 70 }],
  defects: process.env.DEFECT ? [process.env.DEFECT] : [],
}).catch((error) => end(`with-mock.mjs: ${error.message}`));
const { clientId, clientSecret, scope } = mock.credentials;
const child = spawn(command, words, {
  stdio: 'inherit',
  env: {
    ...process.env,
    ASSAY_AUTH_URL: mock.authUrl,
    ASSAY_BASE_URL: mock.baseUrl,
    ASSAY_CLIENT_ID: clientId,
    ASSAY_CLIENT_SECRET: clientSecret,
    ASSAY_SCOPE: scope,
  },
});
child.on('error', (error) => console.error(error.message));
child.on('close', async (status) => {
  await mock.close();
  process.exitCode = status ?? 1;
});

function end(sentence) {
  console.error(sentence);
  process.exit(3);
}
