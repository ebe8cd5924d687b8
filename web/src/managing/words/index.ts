// The texts of the curating and operating pages, which are loaded with them.
import { language, words } from '../../words';
import { de } from './de';
import { en } from './en';

export const its = language === 'de' ? de : en;

/** Why a question was not answered, in short. */
export const reasonOf = (code: string) =>
  (language !== 'en' && words.reasons[code as keyof typeof words.reasons]) || code.replaceAll('_', ' ');
