// Files on their way into the catalogue. They are followed and stay listed while one looks at other pages.
import { api, type Me, Problem } from '../api';
import { audience } from '../managing/audience';
import { calls, inWords, upload } from '../managing/calls';
import { its } from '../managing/words';
import { isLocked, looksLocked, whyUnread } from './unread';

const LOOK_EVERY_MS = 1500;
/** After so long it is said that something may be wrong; earlier where the file itself gives a reason to think so. */
const LATE_MS = 180_000;
const LATE_IF_LOCKED_MS = 15_000;
const LONGEST_MS = 900_000;

export class Sent {
  phase: 'checking' | 'sending' | 'reading' | 'late' | 'done' | 'failed' = $state('checking');
  /** How much of it has gone out, 0 to 1. */
  share = $state(0);
  /** What became of it, in words. */
  said = $state('');
  /** Whether sending it again may help. */
  canRetry = $state(false);
  document = '';
  version: number | undefined;
  /** When it was given up the last time before. */
  failedAt: string | undefined;
  looksLocked = false;
  since = 0;

  constructor(
    readonly file: File,
    readonly collection: string,
    readonly tags: string[],
    readonly seenBy: string,
  ) {}

  get isUnderWay(): boolean {
    return this.phase === 'checking' || this.phase === 'sending' || this.phase === 'reading' || this.phase === 'late';
  }

  end(phase: 'done' | 'failed', said: string) {
    this.phase = phase;
    this.said = said;
  }
}

export class Uploads {
  list: Sent[] = $state([]);
  /** Counts what can be found since, so that a list of documents knows when to look again. */
  taken = $state(0);
  /** How many documents wait to be read, of everybody; only admins are told. */
  waiting = $state(0);
  private watching = false;
  /** Whether whoever handed the files in has gone. */
  over = false;

  constructor(readonly me: Me) {}

  async add(files: Iterable<File>, collection: string, tags: string[]) {
    const seenBy = audience(tags, this.me);
    const first = this.list.length;
    for (const file of files) this.list.push(new Sent(file, collection, tags, seenBy));
    for (const one of this.list.slice(first)) await this.hand(one);
  }

  /** Takes away what is over. */
  clear() {
    this.list = this.list.filter((one) => one.isUnderWay);
  }

  async hand(one: Sent) {
    one.phase = 'checking';
    one.canRetry = false;
    const why = await this.unfit(one.file);
    if (why) return one.end('failed', why);
    one.looksLocked = await looksLocked(one.file);
    const versions = await this.versions(one.collection).catch(() => new Map<string, number>());
    one.failedAt = (await this.failures().catch(() => [])).find((failure) => this.isOf(failure, one))?.failed_at;
    one.phase = 'sending';
    const form = new FormData();
    form.set('collection', one.collection);
    form.set('tags', one.tags.join(','));
    form.set('file', one.file);
    try {
      const { document_id, outcome } = await upload(form, (share) => (one.share = share));
      if (outcome !== 'queued') {
        this.taken++;
        return one.end('done', `${outcome === 'retagged' ? its.retagged : its.unchanged} ${one.seenBy}`);
      }
      one.document = document_id;
      one.version = versions.get(document_id);
      one.since = Date.now();
      one.phase = 'reading';
      this.watch();
    } catch (error) {
      const { status = 0, kind = '' } = error instanceof Problem ? error : {};
      one.canRetry = status === 0 || status === 429 || status === 503;
      if (kind === 'not_your_collection') one.end('failed', its.notYourCollection(one.collection));
      else one.end('failed', status === 413 ? its.tooLargeToSend : inWords(error));
    }
  }

  /** Why a file need not be sent at all. */
  private async unfit(file: File): Promise<string> {
    const { file_endings } = this.me;
    const name = file.name.toLowerCase();
    if (!file_endings.some((ending) => name.endsWith(ending))) return its.wrongKind(file_endings.join(' '));
    if (file.size === 0) return its.emptyFile;
    return (await isLocked(file)) ? its.unread.locked : '';
  }

  /** Looks now and then, until everything is taken in or given up. */
  private async watch() {
    if (this.watching) return;
    this.watching = true;
    for (;;) {
      await new Promise((then) => setTimeout(then, LOOK_EVERY_MS));
      const open = this.list.filter(({ phase }) => phase === 'reading' || phase === 'late');
      if (open.length === 0 || this.over) break;
      for (const collection of new Set(open.map((one) => one.collection))) await this.look(collection, open);
    }
    this.watching = false;
  }

  private async look(collection: string, open: Sent[]) {
    const versions = await this.versions(collection).catch((error: unknown) => {
      // Whoever is signed out sees nothing of it any more.
      this.over ||= error instanceof Problem && error.status === 401;
      return null;
    });
    if (this.over) return;
    const failures = await this.failures().catch(() => []);
    for (const one of open.filter((one) => one.collection === collection)) {
      const version = versions?.get(one.document);
      const failure = failures.find((failure) => this.isOf(failure, one));
      const waited = Date.now() - one.since;
      if (version !== undefined && version !== one.version) {
        one.end('done', `${its.readable} ${one.seenBy}`);
        this.taken++;
      } else if (failure && failure.failed_at !== one.failedAt) one.end('failed', whyUnread(failure.reason));
      else if (waited > LONGEST_MS) one.end('failed', its.notRead);
      else if (one.looksLocked && waited > LATE_IF_LOCKED_MS) this.late(one, its.notReadLocked);
      else if (waited > LATE_MS) this.late(one, its.notReadYet);
    }
  }

  private late(one: Sent, said: string) {
    one.phase = 'late';
    one.said = said;
  }

  /** The current version of each document of a collection, as far as it is listed. */
  private async versions(collection: string): Promise<Map<string, number>> {
    const { documents } = await api.documents({ collection, limit: 200 });
    return new Map(documents.map(({ document_id, version }) => [document_id, version]));
  }

  /** What was given up; only admins are told. */
  private async failures() {
    if (this.me.role !== 'admin') return [];
    const { waiting, failures } = await calls.queue();
    this.waiting = waiting;
    return failures;
  }

  private isOf({ file, collection }: { file: string; collection: string }, one: Sent): boolean {
    return file === `api:${this.me.subject_id}/${one.file.name}` && collection === one.collection;
  }
}

let mine: Uploads | null = null;

/** Those of whoever is signed in. */
export function uploadsOf(me: Me): Uploads {
  if (mine && !mine.over && mine.me.subject_id === me.subject_id) return mine;
  if (mine) mine.over = true;
  mine = new Uploads(me);
  return mine;
}
