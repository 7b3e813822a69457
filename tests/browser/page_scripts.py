"""Functions that run in the page and return what a reader would see."""

OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true;"

SIZES = """const root = document.documentElement;
return [root.scrollWidth, root.clientWidth];"""

# Questions, answers, and where they end on the screen.
ANSWERS = """return [...document.querySelectorAll('dl > div')].map(one => [
  one.querySelector('dt').textContent, one.querySelector('dd').textContent, one.getBoundingClientRect().bottom]);"""

# Texts of a figure that leave it, and pairs of them that overlap, by more than half a pixel.
TEXT_FAULTS = """const faults = [];
const room = 0.5;
for (const image of document.querySelectorAll('svg')) {
  const frame = image.getBoundingClientRect();
  const texts = [...image.querySelectorAll('text')].map(one => [one.textContent, one.getBoundingClientRect()]);
  for (let i = 0; i < texts.length; ++i) {
    const [text, a] = texts[i];
    if (a.left < frame.left - room || a.right > frame.right + room || a.top < frame.top - room ||
        a.bottom > frame.bottom + room) faults.push(`'${text}' leaves its figure`);
    for (let j = i + 1; j < texts.length; ++j) {
      const [other, b] = texts[j];
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > room &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > room) {
        faults.push(`'${text}' and '${other}' overlap`);
      }
    }
  }
}
return faults;"""

# Texts of the page that are wider than the box in which they stand, where that does not scroll.
CUT_TEXTS = """const faults = [];
for (const one of document.querySelectorAll('h1,h2,h3,p,li,dt,dd,summary,figcaption,.banner,pre')) {
  if (one.scrollWidth > one.clientWidth + 1) faults.push(one.textContent.slice(0, 60));
}
return faults;"""

# Every figure with its images, and the places of their marks in pixels of the page.
FIGURES = """function places(image) {
  const matrix = image.getScreenCTM();
  const frame = image.getBoundingClientRect();
  const at = (x, y) => {
    const point = new DOMPoint(x, y).matrixTransform(matrix);
    return [point.x - frame.left, point.y - frame.top];
  };
  const number = (one, name) => one[name].baseVal.value;
  const corners = one => {
    const words = one.getAttribute('d').replace('M', '').replace('Z', '').trim().split(/\\s+/).map(Number);
    const out = [];
    for (let k = 0; k + 1 < words.length; k += 2) out.push(at(words[k], words[k + 1]));
    return out;
  };
  const all = name => [...image.querySelectorAll(name)];
  const text = one => [one.textContent, ...at(Number(one.getAttribute('x')), Number(one.getAttribute('y')))];
  const middle = one => {
    const box = one.getBoundingClientRect();
    return [box.left + box.width / 2 - frame.left, box.top + box.height / 2 - frame.top];
  };
  return {
    x: all('.tick.tx').map(text),
    y: all('.grid').map(one => [number(one, 'y1') === number(one, 'y2'), ...at(number(one, 'x1'), number(one, 'y1'))])
      .filter(one => one[0]).map((one, k) => [all('.tick.ty')[k].textContent, one[1], one[2]]),
    lines: all('path.line').map(corners),
    bands: all('path.band').map(corners),
    dots: all('circle.dot, path.dot').map(middle),
    intervals: all('line.interval').map(one => [at(number(one, 'x1'), number(one, 'y1')),
                                                at(number(one, 'x2'), number(one, 'y2'))]),
    bars: all('rect.bar').map(one => [at(number(one, 'x'), number(one, 'y')),
                                      at(number(one, 'x') + number(one, 'width'), number(one, 'y'))]),
    cells: all('text.cell').map(one => one.textContent),
    squares: all('rect.plus, rect.minus').length
  };
}
return [...document.querySelectorAll('figure')].map(one => [...one.querySelectorAll('svg')].map(places));"""

# What the keyboard reaches, in the order of the page.
REACHED_BY_KEYBOARD = """return [...document.querySelectorAll('a, summary, [tabindex="0"]')]
  .filter(one => one.checkVisibility({contentVisibilityAuto: true})).length;"""

FOCUS = """const one = document.activeElement;
if (!window.seen) { window.seen = []; }
const before = window.seen.includes(one);
window.seen.push(one);
return [one.tagName, one.className, before];"""

AXE = """const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations'], preload: false}).then(found => done(found.violations.map(
  one => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(' | ')}`)),
  error => done([String(error)]));"""
