/**
 * Thrown where evidence cannot be had because the provider breaks another requirement first. What waits for
 * the evidence is then inconclusive, and says what it follows from: one cause, one failure.
 */
export class Prevented extends Error {
  /** The requirement whose breach stands in the way. */
  readonly requirement: string;

  constructor(requirement: string, sentence: string) {
    super(sentence);
    this.name = 'Prevented';
    this.requirement = requirement;
  }
}

/** Thrown where the provider's state or a limit keeps a question from being judged; the sentence says which. */
export class Undecided extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'Undecided';
  }
}
