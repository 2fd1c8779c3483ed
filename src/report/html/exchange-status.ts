import type { ExchangeView } from '../report-data.ts';

/** The status of an exchange's answer, or why there is none: `200`, `timeout`. */
export function exchangeStatus({ status, failure }: ExchangeView): number | string {
  return status ?? failure?.code ?? 'no answer';
}
