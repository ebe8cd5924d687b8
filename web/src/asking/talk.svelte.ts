// A conversation on the page: its questions, what is heard of each answer, and where it is kept.
import { type Answer, api, ask, type Citation, Problem, type WholeConversation } from '../api';

export type Phase = 'searching' | 'writing' | 'done' | 'stopped' | 'failed';

export class Turn {
  phase: Phase = $state('searching');
  heard: string[] = $state([]);
  citations: Citation[] = $state.raw([]);
  answer: Answer | null = $state.raw(null);
  problem: Problem | null = $state.raw(null);
  /** How long it took; none where it was asked before. */
  milliseconds: number | null = $state(null);
  readonly id = crypto.randomUUID?.() ?? String(Math.random());

  constructor(readonly question: string) {}

  static again(question: string, answer: Answer): Turn {
    const turn = new Turn(question);
    turn.answer = answer;
    turn.phase = 'done';
    return turn;
  }
}

export class Talk {
  turns: Turn[] = $state([]);
  conversation: string | null = $state(null);
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
  }

  show(whole: WholeConversation) {
    this.stop();
    this.conversation = whole.id;
    this.turns = whole.questions.map(({ question, answer }) => Turn.again(question, answer as Answer));
  }

  /** Asks, and returns when the answer is there, or is not to be had. */
  async ask(question: string): Promise<void> {
    if (this.busy) return;
    const under = new AbortController();
    this.under = under;
    // Read back out of the array: only there it is watched.
    this.turns.push(new Turn(question));
    const turn = this.turns.at(-1);
    if (!turn) return;
    const began = performance.now();
    try {
      this.conversation ??= (await api.begin()).id;
      for await (const heard of ask(question, this.conversation, under.signal)) {
        if ('sentence' in heard) {
          turn.citations = [...turn.citations, ...heard.sentence.citations];
          turn.heard.push(heard.sentence.text);
          turn.phase = 'writing';
        } else {
          turn.answer = heard.answer;
          turn.phase = 'done';
        }
      }
    } catch (error) {
      if (under.signal.aborted) turn.phase = 'stopped';
      else {
        turn.problem = error instanceof Problem ? error : new Problem(0, 'unreachable', '', '');
        turn.phase = 'failed';
      }
    } finally {
      turn.milliseconds = performance.now() - began;
      this.asked++;
    }
  }
}
