/** Names of the files in the folder of a run or of a proof. `report/formats/table.ts` has those of formats. */
export const FILE_NAMES = {
  results: 'results.json',
  evidence: 'evidence.ndjson.gz',
  manifest: 'manifest.json',
  signature: 'manifest.sig',
  /** Only of certifications, as the next three. */
  certificate: 'certificate.html',
  certificatePdf: 'certificate.pdf',
  /** The targets without their secrets. */
  targets: 'targets.json',
  /** All other files in one. */
  submission: 'submission.zip',
  proof: 'prove.json',
  proofPage: 'prove.html',
} as const;
