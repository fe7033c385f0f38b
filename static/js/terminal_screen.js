// xterm.js, set up for our pages: loaded only when a terminal is opened, in the reader's colours
// and size, and without a style that the site's policy forbids.
const VENDOR = "../vendor";
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const COLOURS = ["grey", "red", "green", "yellow", "blue", "magenta", "cyan", "strong"];

export async function makeScreen(place, { isReadOnly }) {
  const [{ Terminal }, { FitAddon }, { Unicode11Addon }, { WebLinksAddon }] = await Promise.all([
    import(`${VENDOR}/xterm-6.0.0/xterm.mjs`),
    import(`${VENDOR}/addon-fit-0.11.0/addon-fit.mjs`),
    import(`${VENDOR}/addon-unicode11-0.9.0/addon-unicode11.mjs`),
    import(`${VENDOR}/addon-web-links-0.12.0/addon-web-links.mjs`),
    loadSheet(),
  ]);
  const term = new Terminal({
    allowProposedApi: true,
    convertEol: false,
    cursorBlink: false,
    disableStdin: isReadOnly,
    scrollback: 5000,
    linkHandler: { activate: (_, address) => openLink(address), allowNonHttpProtocols: false },
    ...look(),
  });
  const fit = new FitAddon();
  term.loadAddon(fit);
  term.loadAddon(new Unicode11Addon());
  term.loadAddon(new WebLinksAddon((_, address) => openLink(address)));
  term.unicode.activeVersion = "11";
  withoutStyleElements(() => term.open(place));
  new MutationObserver(() => { Object.assign(term.options, look()); fit.fit(); })
    .observe(document.documentElement, { attributes: true });
  return { term, fit };
}

function loadSheet() {
  return new Promise((loaded) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(`${VENDOR}/xterm-6.0.0/xterm.css`, import.meta.url);
    link.onload = link.onerror = loaded;
    document.head.append(link);
  });
}

function openLink(address) {
  if (/^https?:\/\//i.test(address)) open(address, "_blank", "noopener,noreferrer");
}

// What the reader has chosen for the page holds in the terminal too.
function look() {
  const style = getComputedStyle(document.documentElement);
  const token = (name) => style.getPropertyValue(name).trim();
  const theme = {
    background: token("--term"), foreground: token("--term-ink"),
    cursor: token("--term-ink"), cursorAccent: token("--term"),
    selectionBackground: token("--accent"), selectionForeground: token("--on-accent"),
    selectionInactiveBackground: token("--sunk"),
  };
  NAMES.forEach((name, at) => {
    const colour = token(`--ansi-${COLOURS[at]}`);
    theme[name] = theme[`bright${name[0].toUpperCase()}${name.slice(1)}`] = colour;
  });
  const isHigh = document.documentElement.dataset.contrast === "high";
  return {
    theme,
    fontFamily: token("--mono"),
    fontSize: Math.round(parseFloat(style.fontSize) * 0.875),
    lineHeight: 1.2,
    minimumContrastRatio: isHigh ? 7 : 4.5,
  };
}

// xterm writes its sizes and colours into <style> elements and style attributes, which the policy
// refuses. The same rules in a constructed sheet, and the same properties by script, are allowed.
function withoutStyleElements(work) {
  const create = document.createElement;
  document.createElement = (name, ...rest) =>
    name === "style" ? sheetElement() : create.call(document, name, ...rest);
  allowStyleAttributes();
  try {
    work();
  } finally {
    delete document.createElement;
  }
}

function sheetElement() {
  const sheet = new CSSStyleSheet();
  const stand = document.createElementNS("http://www.w3.org/1999/xhtml", "span");
  stand.hidden = true;
  Object.defineProperty(stand, "textContent", { set: (rules) => sheet.replaceSync(rules) });
  document.adoptedStyleSheets.push(sheet);
  return stand;
}

function allowStyleAttributes() {
  const set = Element.prototype.setAttribute;
  if (set.isOurs) return;
  Element.prototype.setAttribute = function setAttribute(name, value) {
    if (name === "style") this.style.cssText = value;
    else set.call(this, name, value);
  };
  Element.prototype.setAttribute.isOurs = true;
}
