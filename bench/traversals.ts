import { assayTraversal } from './assay.ts';
import { compiled } from './paths.ts';
import type { Candidate } from './process.ts';
import type { ServerOptions } from './provider/server.ts';
import { type Provider, startProvider, targetFile } from './provider/start.ts';

/** The traversals of the same list by the minimal loop and by Assay. */
export interface TraversalPair {
  readonly provider: Provider;
  readonly floor: Candidate;
  readonly assay: Candidate;
}

/** Starts a provider and returns both traversals of its list. */
export async function startTraversalPair(options: ServerOptions, folder: string): Promise<TraversalPair> {
  const provider = await startProvider(options);
  const { url, token, tenant } = provider;
  return {
    provider,
    floor: {
      words: [compiled('floor/traversal.js'), `${url}/v1/printers?$count=true`, `Bearer ${token}`, tenant],
    },
    assay: assayTraversal(targetFile(folder, `traversal-${options.records}`, provider), folder),
  };
}
