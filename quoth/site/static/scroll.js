/** What is wider than the page can be scrolled by keyboard too. */
const boxes = [...document.querySelectorAll("main :is(pre, table, .math.block)")];
const watch = new ResizeObserver((seen) => {
  for (const { target } of seen) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const each of boxes) watch.observe(each);
