/** A minimal yargs program. */
import yargs from 'yargs';

await yargs(process.argv.slice(2)).scriptName('floor').command('one', 'does nothing').help().parseAsync();
