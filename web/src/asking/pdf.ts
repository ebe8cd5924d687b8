// PDF files, read by pdf.js in a thread of its own and drawn here. Loaded when somebody opens a PDF. Scripts in a file are
// never run, and its links are not made: only what it shows is drawn.
import { AnnotationMode, GlobalWorkerOptions, getDocument, type PDFDocumentProxy, TextLayer } from 'pdfjs-dist';
import readerAddress from 'pdfjs-dist/build/pdf.worker.min.mjs?worker&url';
import { found } from './finding';

const addresses = (files: Record<string, unknown>) =>
  new Map(Object.entries(files).map(([path, address]) => [path.split('/').at(-1) ?? '', String(address)]));
// Character maps of East Asian fonts, and the fonts that a file may take for granted.
const maps = addresses(
  import.meta.glob('/node_modules/pdfjs-dist/cmaps/*.bcmap', { query: '?url', import: 'default', eager: true }),
);
const fonts = addresses(
  import.meta.glob('/node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}', {
    query: '?url',
    import: 'default',
    eager: true,
  }),
);

async function bytes(address: string | undefined): Promise<Uint8Array> {
  const reply = address ? await fetch(address) : null;
  if (!reply?.ok) throw new Error('there is no such file');
  return new Uint8Array(await reply.arrayBuffer());
}

class Maps {
  async fetch({ name }: { name: string }) {
    return { cMapData: await bytes(maps.get(`${name}.bcmap`)), isCompressed: true };
  }
}

class Fonts {
  fetch({ filename }: { filename: string }) {
    return bytes(fonts.get(filename));
  }
}

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): {
    createScriptURL: (address: string) => string;
  };
}

/** The one script that may be started: browsers with trusted types ask for a policy that says so. */
function reader(): Worker {
  const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes;
  const createScriptURL = (address: string) => {
    if (address !== readerAddress) throw new TypeError(address);
    return address;
  };
  const policy = policies?.createPolicy('ibidem-pdf-reader', { createScriptURL });
  return new Worker(policy ? policy.createScriptURL(readerAddress) : readerAddress, { type: 'module' });
}

/** A passage goes over so many pages at most. */
const PAGES_LOOKED_AT = 4;

export class Pdf {
  private constructor(private readonly file: PDFDocumentProxy) {}

  static async open(file: Blob): Promise<Pdf> {
    GlobalWorkerOptions.workerPort ??= reader();
    const opening = getDocument({
      data: await file.arrayBuffer(),
      CMapReaderFactory: Maps,
      StandardFontDataFactory: Fonts,
      useWorkerFetch: false,
      useWasm: false,
      enableXfa: false,
      verbosity: 0,
    });
    return new Pdf(await opening.promise);
  }

  get pages(): number {
    return this.file.numPages;
  }

  /** The page that has the quotations: the one where the passage begins, or one of the next. */
  async pageWith(quotations: string[], from: number): Promise<number> {
    const first = Math.min(Math.max(1, from), this.pages);
    for (let number = first; number < first + PAGES_LOOKED_AT && number <= this.pages; number++) {
      const { items } = await (await this.file.getPage(number)).getTextContent();
      const pieces = items.flatMap((item) => ('str' in item ? [item.str] : []));
      if (found(pieces, quotations).length > 0) return number;
    }
    return first;
  }

  /** Draws a page so wide, with its text over it, and marks the quotations. Says how many pieces are marked. */
  async draw(number: number, width: number, quotations: string[], sheet: HTMLElement): Promise<number> {
    const page = await this.file.getPage(number);
    const scale = width / page.getViewport({ scale: 1 }).width;
    const viewport = page.getViewport({ scale });
    const dense = Math.min(globalThis.devicePixelRatio || 1, 2);
    const canvas = document.createElement('canvas');
    canvas.width = Math.floor(viewport.width * dense);
    canvas.height = Math.floor(viewport.height * dense);
    canvas.setAttribute('aria-hidden', 'true');
    const layer = document.createElement('div');
    layer.className = 'letters';
    const transform = dense === 1 ? {} : { transform: [dense, 0, 0, dense, 0, 0] };
    await page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE, ...transform }).promise;
    sheet.style.setProperty('--total-scale-factor', String(scale));
    sheet.style.width = `${Math.floor(viewport.width)}px`;
    sheet.style.height = `${Math.floor(viewport.height)}px`;
    const text = new TextLayer({ textContentSource: page.streamTextContent(), container: layer, viewport });
    await text.render();
    const places = found(text.textContentItemsStr, quotations);
    for (const { piece, start, end } of [...places].reverse()) mark(text.textDivs[piece], start, end);
    sheet.replaceChildren(canvas, layer);
    return places.length;
  }

  close() {
    this.file.loadingTask.destroy();
  }
}

function mark(piece: HTMLElement | undefined, start: number, end: number) {
  const text = piece?.firstChild;
  if (!(text instanceof Text)) return;
  const marked = document.createElement('mark');
  const range = document.createRange();
  range.setStart(text, start);
  range.setEnd(text, Math.min(end, text.length));
  range.surroundContents(marked);
}
