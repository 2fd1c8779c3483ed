import { parentPort } from 'node:worker_threads';
import { runTrial, type Trial } from './trial.ts';

/** A trial with its number, or the request to stop all trials. */
type Message = { readonly number: number; readonly trial: Trial } | 'stop';

const stopping = new AbortController();

// Worker thread of `prove`: runs several trials at a time and returns each result with the trial's number.
parentPort?.on('message', async (message: Message) => {
  if (message === 'stop') return stopping.abort();
  const { number, trial } = message;
  parentPort?.postMessage({ number, result: await runTrial(trial, null, stopping.signal) });
});
