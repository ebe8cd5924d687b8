// Questions that mean much the same, put together by their words. No model is asked.

/** Words that stand in questions of any kind, in English and German. */
const COMMON = new Set(
  `a an and are as at be by can could do does for from get has have how i if in is it long many may me must my need not of on
  or our shall should that the their there they this to was we what when where which who whom whose why will with you your
  als am an auf aus bei bin bis da das dass dem den der des die ein eine einem einen einer es für gibt hat ich im in ist kann
  man mein mit muss nach nicht oder sich sie sind um und uns unser viel viele vom von wann warum was welche welchen welcher
  welches wem wen wenn wer wie wieviel wir wird wo zu zum zur`.split(/\s+/),
);

/** So much of what two questions have together must be in both. */
const ALIKE = 0.6;

/** The words that tell a question from others, without the ends that change. */
export function telling(question: string): Set<string> {
  const all = question.toLocaleLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const some = all.filter((word) => !COMMON.has(word));
  return new Set((some.length > 0 ? some : all).map((word) => (word.length > 5 ? word.slice(0, -1) : word)));
}

function alike(one: Set<string>, other: Set<string>): number {
  const both = [...one].filter((word) => other.has(word)).length;
  return both / (one.size + other.size - both || 1);
}

/** Groups in the order of their first question; the largest first. */
export function grouped<Asked>(all: Asked[], question: (asked: Asked) => string): Asked[][] {
  const groups: { words: Set<string>; of: Asked[] }[] = [];
  for (const asked of all) {
    const words = telling(question(asked));
    const group = groups.find((candidate) => alike(candidate.words, words) >= ALIKE);
    if (group) group.of.push(asked);
    else groups.push({ words, of: [asked] });
  }
  return groups.map(({ of }) => of).sort((one, other) => other.length - one.length);
}
