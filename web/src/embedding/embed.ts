// The widget: one script tag puts asking into a page of somebody else. It lives in a shadow root, so that neither page
// changes how the other looks, and its styles are an adopted sheet, so that the page need not allow inline styles.
import { mount } from 'svelte';
import '../page.css';
import { WidgetTalk } from './talk.svelte';
import Widget from './Widget.svelte';

// The build puts the styles here.
const STYLES = '__IBIDEM_WIDGET_STYLES__';

const script = document.currentScript;

function begin(tag: HTMLScriptElement) {
  const { key, target, theme } = tag.dataset;
  const place = target ? document.querySelector(target) : null;
  if (!key || (target && !place)) {
    console.error(
      key
        ? `Ibidem: there is no element ${target} in this page; check data-target.`
        : 'Ibidem: the script tag needs data-key, a key for this page.',
    );
    return;
  }
  const host = document.createElement('div');
  if (theme === 'auto') host.className = 'dark-too';
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);
  root.adoptedStyleSheets = [sheet];
  if (place) place.append(host);
  else if (tag.parentElement === document.head) document.body.append(host);
  else tag.after(host);
  mount(Widget, { target: root, props: { talk: new WidgetTalk(new URL('v1/answers', tag.src).href, key) } });
}

if (script instanceof HTMLScriptElement) {
  const tag = script;
  // In the head of a page that is still being read there is nothing to stand in yet.
  if (document.body) begin(tag);
  else document.addEventListener('DOMContentLoaded', () => begin(tag));
}
