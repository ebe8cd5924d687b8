// Where the time of questions goes: the median of each stage.
import type { Recorded } from '../managing/calls';

function median(values: number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Each stage in the order in which questions meet them, and the whole last. */
export function medians(records: Recorded[], whole: string): { name: string; value: number }[] {
  const times = new Map<string, number[]>();
  for (const { stages } of records) {
    for (const [stage, ms] of stages) times.set(stage, [...(times.get(stage) ?? []), ms]);
  }
  if (records.length === 0) return [];
  const each = [...times].map(([name, values]) => ({ name: name.replaceAll('_', ' '), value: median(values) }));
  return [...each, { name: whole, value: median(records.map(({ duration_ms }) => duration_ms)) }];
}
