import { exchangeCorpus } from '../../support/hostile/corpus.ts';
import { testServers } from '../../support/hostile/server-tests.ts';

// In a file of its own, so that it runs beside the others.
testServers(exchangeCorpus);
