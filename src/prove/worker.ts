import { parentPort } from 'node:worker_threads';
import { runTrial, type Trial } from './trial.ts';

// A thread of `prove`: carries out the trials it is sent, several at a time, and answers each by its number.
parentPort?.on('message', ({ number, trial }: { readonly number: number; readonly trial: Trial }) => {
  void runTrial(trial, null).then((result) => parentPort?.postMessage({ number, result }));
});
