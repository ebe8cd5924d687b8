// Questions from a page of somebody else: with the page's own key, and with what was asked before as their history. Nothing
// of it is kept.
import { type Heard, heard, Problem, problemOf } from '../api';
import type { components } from '../api.d';
import { Talk } from '../asking/talk.svelte';
import { words } from '../words';

/** So many questions back a follow-up may refer to, and so much of each answer. */
const REMEMBERED = 6;
const LONGEST = 4_000;

export class WidgetTalk extends Talk {
  constructor(
    private readonly address: string,
    private readonly key: string,
  ) {
    super();
  }

  protected override async *stream(
    question: string,
    signal: AbortSignal,
    confirmation: string | null,
  ): AsyncGenerator<Heard> {
    const body: components['schemas']['QuestionBody'] = { query: question, stream: true, history: this.history() };
    if (confirmation) body.confirmation = confirmation;
    let reply: Response;
    try {
      reply = await fetch(this.address, {
        method: 'POST',
        headers: { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        // The page's visitors are nobody to the server but holders of the key.
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw error;
      // A browser does not tell a page why it may not read a reply.
      throw new Problem(0, 'unreachable', '', words.orForeignPage);
    }
    if (!reply.ok) throw problemOf(reply.status, await reply.text());
    yield* heard(reply);
  }

  private history(): components['schemas']['Message'][] {
    const answered = this.turns.filter((turn) => turn.answer && !turn.answer.refused).slice(-REMEMBERED);
    return answered.flatMap(({ question, answer }) => [
      { role: 'user' as const, content: question },
      { role: 'assistant' as const, content: answer?.answer.slice(0, LONGEST) || '…' },
    ]);
  }
}
