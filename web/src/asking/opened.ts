// What opens beside the answer: a citation with its number and the claim that it supports, or a passage as it is now.
import type { Citation } from '../api';
import type { LinkedPassage } from '../place.svelte';

export type Opened = { number: number; citation: Citation; claim: string } | { passage: LinkedPassage };
