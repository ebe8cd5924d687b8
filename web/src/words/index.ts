// The texts of the pages, in the first language of the browser that we have. A widget has the language of its script tag,
// or of the page that it stands in.
import { de } from './de';
import { en, type Words } from './en';

const known: Record<string, Words> = { de, en };
// Only a widget is a plain script; the pages are a module, which has no tag of its own.
const tag = document.currentScript?.dataset.language ?? (document.currentScript && document.documentElement.lang);
const read = [...(tag ? [tag] : []), ...navigator.languages];
const wanted = read.map((tag) => tag.toLowerCase().split('-')[0] ?? '');

export const language = wanted.find((tag) => tag in known) ?? 'en';
export const words: Words = known[language] ?? en;

// With the region where the browser names one: a date is written otherwise in London than in Boston.
const locale = read.find((tag) => tag.toLowerCase().startsWith(language)) ?? language;
const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
const seconds = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const day = (written: string) => dates.format(new Date(written));
const shares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });

export const percentOf = (share: number) => shares.format(share);
export const number = (value: number) => numbers.format(value);
export const inSeconds = (milliseconds: number) => seconds.format(milliseconds / 1000);
