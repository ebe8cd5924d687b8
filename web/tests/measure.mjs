// How fast the asking page is: until one can type on a mobile network, while 2,000 sentences stream, and with 500 turns.
// The frames are those of this machine; whatever else runs on it is in them.
import { key, launch, url, visit } from './harness.mjs';
import { answered, citation, ID } from './replies.mjs';

const SENTENCES = 2000;
const TURNS = 500;
/** Of Chromium's own profile for a fast network of the fourth generation, and its usual slower phone. */
const MOBILE = { latency: 60 * 2.75, downloadThroughput: (9e6 / 8) * 0.9, uploadThroughput: (1.5e6 / 8) * 0.9 };
const SLOWER_CPU = 4;

const browser = await launch();

/** Watches frames and long tasks in the page, from the call on. */
async function watch(page) {
  await page.evaluate(() => {
    const seen = { frames: [], tasks: [] };
    globalThis.seen = seen;
    let last = performance.now();
    const frame = (now) => {
      seen.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.tasks.push(entry.duration);
    }).observe({ type: 'longtask' });
  });
}

async function report(page, name) {
  const { frames, tasks } = await page.evaluate(() => globalThis.seen);
  const longest = Math.max(...frames);
  const late = frames.filter((gap) => gap > 50).length;
  const task = tasks.length > 0 ? `, the longest ${Math.max(...tasks).toFixed(0)} ms` : '';
  console.log(
    `${name}: ${frames.length} frames, the longest ${longest.toFixed(0)} ms, ${late} over 50 ms; ` +
      `${tasks.length} tasks over 50 ms${task}`,
  );
}

async function interactive() {
  const times = [];
  for (let visitNumber = 0; visitNumber < 5; visitNumber++) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    await page.addInitScript((value) => sessionStorage.setItem('ibidem-key', value), key);
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', { offline: false, ...MOBILE });
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_CPU });
    await page.goto(`${url}/`, { waitUntil: 'commit' });
    const at = await page.waitForFunction(() => document.activeElement?.id === 'question' && performance.now());
    times.push(await at.jsonValue());
    await context.close();
  }
  times.sort((one, other) => one - other);
  const [best, median, worst] = [times[0], times[2], times[4]].map((time) => time.toFixed(0));
  console.log(`interactive on a mobile network, CPU ${SLOWER_CPU} times slower: ${median} ms (${best} to ${worst})`);
}

async function streaming() {
  const sources = Array.from({ length: 20 }, (_, index) => citation(index + 1, { snippet_full: 'Words. '.repeat(60) }));
  const sentences = Array.from({ length: SENTENCES }, (_, index) => {
    const source = sources[index % sources.length];
    const text = `Sentence ${index} says in plain words what the handbook says of it, no more and no less.[${source.marker}] `;
    return { text, citations: [source] };
  });
  const answer = answered(sentences, sources);
  const prepare = (page) =>
    page.addInitScript(
      ({ sentences, answer }) => {
        const real = globalThis.fetch;
        globalThis.fetch = (path, request) => {
          if (path !== '/v1/answers') return real(path, request);
          const bytes = new TextEncoder();
          const event = (name, data) => bytes.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
          let next = 0;
          const body = new ReadableStream({
            async pull(stream) {
              // Five sentences every ten milliseconds: far more than any model writes.
              await new Promise((then) => setTimeout(then, 10));
              const last = Math.min(next + 5, sentences.length);
              for (; next < last; next++) stream.enqueue(event('sentence', sentences[next]));
              if (next === sentences.length) {
                stream.enqueue(event('answer', answer));
                stream.close();
              }
            },
          });
          return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
        };
      },
      { sentences, answer },
    );
  const { page, close } = await visit(browser, { prepare });
  const field = page.getByRole('textbox', { name: 'Your question' });
  await field.fill('All of it?');
  await watch(page);
  await field.press('Enter');
  await page.getByText(/^Answered from 20 sources/).waitFor();
  await report(page, `${SENTENCES} sentences streamed`);
  await close();
}

async function scrolling() {
  const source = citation(1, { snippet_full: 'A business trip is refunded. '.repeat(10) });
  const said = Array.from({ length: 4 }, (_, index) => ({
    text: `Sentence ${index} of the answer is here.[1] `,
    citations: [source],
  }));
  const questions = Array.from({ length: TURNS }, (_, index) => ({
    question: `Question ${index}?`,
    asked_at: '2026-01-01T00:00:00Z',
    turn: index + 1,
    answer: answered(said, [source]),
  }));
  const whole = { id: ID, title: 'Long', questions };
  const { page, close } = await visit(browser, {
    prepare: (page) => page.route('**/v1/conversations/*', (route) => route.fulfill({ json: whole })),
  });
  await page.getByRole('textbox', { name: 'Your question' }).waitFor();
  const began = Date.now();
  await page.evaluate((id) => {
    location.hash = `#/answer/${id}/none`;
  }, ID);
  await page.getByRole('article', { name: `Question ${TURNS - 1}?` }).waitFor();
  console.log(`a conversation of ${TURNS} turns: shown after ${Date.now() - began} ms`);
  await watch(page);
  await page.mouse.move(600, 400);
  for (let step = 0; step < 60; step++) {
    await page.mouse.wheel(0, -1200);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  await report(page, `${TURNS} turns scrolled`);
  await close();
}

await interactive();
await streaming();
await scrolling();
await browser.close();
