// What scrolls sideways can be reached with the keyboard.
function reach() {
  for (const one of document.querySelectorAll('table, div.math, div.source, pre')) {
    if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
    else if (one.tabIndex === 0) one.removeAttribute('tabindex');
  }
}
addEventListener('load', reach);
addEventListener('resize', reach);
