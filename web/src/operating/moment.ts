// A day with its time, as the browser's region writes it.
const moments = new Intl.DateTimeFormat(navigator.languages[0], { dateStyle: 'short', timeStyle: 'medium' });

export const moment = (written: string) => moments.format(new Date(written));
