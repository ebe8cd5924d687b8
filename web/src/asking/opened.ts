// What a click opens beside the answer: a citation with its number and the claim that it supports, or a near miss.
import type { Citation, NearestMiss } from '../api';

export type Opened = { number: number; citation: Citation; claim: string } | { miss: NearestMiss };
