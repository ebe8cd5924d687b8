// The texts of the curating and operating pages, which are loaded with them.
import { language } from '../../words';
import { de } from './de';
import { en } from './en';

export const its = language === 'de' ? de : en;

/** A threshold by its setting, in words. */
export function thresholdOf(setting: string): string {
  const own = its.thresholds[setting];
  if (own) return own;
  // The thresholds of collections: sift.collections.default.… and sift.collections.collections.NAME.…
  const [, name, leaf] = /^sift\.collections\.(?:default|collections\.(.+))\.(\w+)$/.exec(setting) ?? [];
  const said = leaf && its.thresholds[`collections.${leaf}`];
  return said ? (name ? `${said} (${name})` : said) : setting;
}

/** A gate by its name, in words. */
export const gateOf = (gate: string) => its.gates[gate] ?? its.thresholds[`sift.${gate}`] ?? gate.replaceAll('_', ' ');

/** Why a question was not answered, in short. */
export const reasonOf = (code: string) => its.reasons[code] ?? code.replaceAll('_', ' ');
