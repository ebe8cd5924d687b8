// What a click opens beside the answer: a citation with the claim that it supports, or a near miss.
import type { Citation, NearestMiss } from '../api';

export type Opened = { citation: Citation; claim: string } | { miss: NearestMiss };
