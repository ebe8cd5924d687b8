// A conversation on the page: its questions, what is heard of each answer, and where it is kept.
import { type Answer, api, ask, type Heard, Problem, type Sentence, type WholeConversation } from '../api';
import { laidOut, Numbering, type Piece, pieces, type Source } from './text';

export type Phase = 'searching' | 'writing' | 'done' | 'stopped' | 'failed';

/** So many sentences are shown in one frame, and so many make a block: more would hold a frame up. */
const AT_ONCE = 40;

/** Sentences in blocks. The browser lays each block out by itself, so what is there costs nothing when more comes. */
function blocksOf(sentences: Piece[][]): Piece[][] {
  const blocks: Piece[][] = [];
  for (let at = 0; at < sentences.length; at += AT_ONCE) blocks.push(sentences.slice(at, at + AT_ONCE).flat());
  return blocks;
}

const nextFrame = () =>
  new Promise<void>((done) => (document.hidden ? setTimeout(done) : requestAnimationFrame(() => done())));

export class Turn {
  phase: Phase = $state('searching');
  /** What is shown, in blocks of sentences: a block that is there is never looked at again. */
  blocks: Piece[][] = $state.raw([]);
  sources: Source[] = $state.raw([]);
  /** How many sentences were heard. */
  heard = $state(0);
  answer: Answer | null = $state.raw(null);
  problem: Problem | null = $state.raw(null);
  /** How long it took; none where it was asked before. */
  milliseconds: number | null = $state(null);
  /** A proposed call that the asker has decided on: confirmed calls it, declined calls nothing. */
  decided: 'confirmed' | 'declined' | null = $state(null);
  /** When it was asked, by the clock of the page. */
  readonly began = performance.now();
  readonly id = crypto.randomUUID?.() ?? String(Math.random());
  private readonly numbering = new Numbering();
  private waiting: Sentence[] = [];
  private showing: Promise<void> | null = null;
  private text = '';

  constructor(
    readonly question: string,
    /** Whether it confirms what was proposed before: that is done once, and not asked again. */
    readonly confirms = false,
    /** The collections that it is limited to; none is all of them. */
    readonly collections: string[] = [],
  ) {}

  static again(question: string, answer: Answer): Turn {
    const turn = new Turn(question);
    turn.lay(answer);
    return turn;
  }

  /** A sentence came. */
  hear(sentence: Sentence) {
    this.phase = 'writing';
    this.waiting.push(sentence);
    this.showing ??= this.show();
  }

  /** The whole answer came. What is on the page already stays there. */
  async end(answer: Answer) {
    await this.showing;
    this.lay(answer);
  }

  private async show() {
    while (this.waiting.length > 0) {
      const some = this.waiting.splice(0, AT_ONCE);
      this.text += some.map(({ text }) => text).join('');
      const cut = some.map(({ text, citations }) => pieces(text, citations, this.numbering));
      // The last block is filled up first.
      const room = (AT_ONCE - (this.heard % AT_ONCE)) % AT_ONCE;
      const last = room > 0 ? [...(this.blocks.at(-1) ?? []), ...cut.slice(0, room).flat()] : [];
      const full = room > 0 ? [...this.blocks.slice(0, -1), last] : this.blocks;
      this.blocks = [...full, ...blocksOf(cut.slice(room))];
      this.heard += some.length;
      this.sources = this.numbering.sources([]);
      await nextFrame();
    }
    this.showing = null;
  }

  private lay(answer: Answer) {
    if (this.blocks.length > 0 && this.text === answer.answer) {
      this.sources = this.numbering.sources(answer.citations);
    } else {
      const { sentences, sources } = laidOut(answer);
      this.blocks = blocksOf(sentences);
      this.sources = sources;
    }
    this.answer = answer;
    this.phase = 'done';
  }
}

export class Talk {
  turns: Turn[] = $state([]);
  conversation: string | null = $state(null);
  /** The collections that questions are limited to; none is all that the asker may see. */
  collections: string[] = $state.raw([]);
  /** A question that waits in the field, for the asker to go on with. */
  draft = $state('');
  /** Counts what was asked, so that a list of conversations knows when to look again. */
  asked = $state(0);
  private under: AbortController | null = null;

  get busy(): boolean {
    const last = this.turns.at(-1);
    return last?.phase === 'searching' || last?.phase === 'writing';
  }

  stop() {
    this.under?.abort();
  }

  fresh() {
    this.stop();
    this.turns = [];
    this.conversation = null;
    this.collections = [];
  }

  show(whole: WholeConversation) {
    this.stop();
    this.conversation = whole.id;
    this.turns = whole.questions.map(({ question, answer }) => Turn.again(question, answer as Answer));
  }

  /** What becomes of a question, which is kept in the conversation. */
  protected async *stream(question: string, signal: AbortSignal, confirmation: string | null): AsyncGenerator<Heard> {
    this.conversation ??= (await api.begin()).id;
    yield* ask(question, this.conversation, signal, confirmation, this.collections);
  }

  /** Asks, or confirms a proposed call by its token, and returns when the answer is there, or is not to be had. */
  async ask(question: string, confirmation: string | null = null): Promise<void> {
    if (this.busy) return;
    const under = new AbortController();
    this.under = under;
    const turn = new Turn(question, confirmation !== null, this.collections);
    this.turns.push(turn);
    try {
      for await (const heard of this.stream(question, under.signal, confirmation)) {
        if ('sentence' in heard) turn.hear(heard.sentence);
        else await turn.end(heard.answer);
      }
    } catch (error) {
      if (under.signal.aborted) turn.phase = 'stopped';
      else {
        turn.problem = error instanceof Problem ? error : new Problem(0, 'unreachable', '', '');
        turn.phase = 'failed';
      }
    } finally {
      turn.milliseconds = performance.now() - turn.began;
      this.asked++;
    }
  }
}
