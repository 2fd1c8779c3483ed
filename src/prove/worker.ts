import { parentPort } from 'node:worker_threads';
import { runTrial, type Trial } from './trial.ts';

// Worker thread of `prove`: runs several trials at a time and returns each result with the trial's number.
parentPort?.on('message', ({ number, trial }: { readonly number: number; readonly trial: Trial }) => {
  void runTrial(trial, null).then((result) => parentPort?.postMessage({ number, result }));
});
