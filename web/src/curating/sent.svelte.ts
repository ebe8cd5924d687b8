// A file on its way into the catalogue.
export class Sent {
  /** How much of it has gone out, 0 to 1. */
  share = $state(0);
  phase: 'sending' | 'reading' | 'done' | 'waiting' | 'failed' = $state('sending');
  /** What became of it, in words. */
  said = $state('');

  constructor(readonly name: string) {}
}
