/** What is wider than the page can be scrolled by keyboard too; the contents begin at this page. */
const boxes = [...document.querySelectorAll("main :is(pre, table, .math.block)")];
const watch = new ResizeObserver((seen) => {
  for (const { target } of seen) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const each of boxes) watch.observe(each);

const contents = document.querySelector("#contents");
const showCurrent = () => {
  const link = contents.querySelector("[aria-current]");
  if (link) contents.scrollTop = link.offsetTop - contents.clientHeight / 2;
};
showCurrent();
contents.addEventListener("toggle", showCurrent); // on a phone they have no height before
