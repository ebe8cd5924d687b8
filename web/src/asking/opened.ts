// What opens beside the page: a citation with its number and the claim that it supports, a passage as it is now, or a whole
// document.
import type { Citation } from '../api';
import type { LinkedPassage } from '../place.svelte';

export type Opened =
  | { number: number; citation: Citation; claim: string }
  | { passage: LinkedPassage }
  | { document: { id: string; title: string } };
