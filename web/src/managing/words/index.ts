// The texts of the curating and operating pages, which are loaded with them.
import { language } from '../../words';
import { de } from './de';
import { en } from './en';

export const its = language === 'de' ? de : en;
