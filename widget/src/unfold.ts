/** Opens every closed `<details>` and tab around an element. Tells whether there was any. */
export async function unfold(element: Element): Promise<boolean> {
  let opened = false;
  for (let box: Element | null = element; box; box = box.parentElement) {
    if (box instanceof HTMLDetailsElement && !box.open) opened = openDetails(box) || opened;
    if (box.matches("[role=tabpanel][hidden]")) opened = chooseTab(box) || opened;
  }
  // Two frames: one for the page's own script to draw, one for the layout.
  if (opened) await nextFrame().then(nextFrame);
  return opened;
}

/** By its summary, as a reader does: some themes fold with a script of their own. */
function openDetails(box: HTMLDetailsElement): boolean {
  box.querySelector<HTMLElement>(":scope > summary")?.click();
  box.open = true;
  return true;
}

/** The tab that names the panel, or the one at the panel's place among its siblings. */
function chooseTab(panel: Element): boolean {
  const named = panel.id && document.querySelector(`[role=tab][aria-controls="${CSS.escape(panel.id)}"]`);
  const label = panel.getAttribute("aria-labelledby");
  const tab = named || (label && document.getElementById(label)) || tabAtPlaceOf(panel);
  if (!(tab instanceof HTMLElement)) return false;
  tab.click();
  return true;
}

function tabAtPlaceOf(panel: Element): Element | undefined {
  const panels = [...(panel.parentElement?.children ?? [])].filter((each) => each.matches("[role=tabpanel]"));
  let around = panel.parentElement;
  while (around && !around.querySelector("[role=tablist]")) around = around.parentElement;
  const list = around?.querySelector("[role=tablist]");
  return list?.querySelectorAll("[role=tab]")[panels.indexOf(panel)];
}

function nextFrame(): Promise<void> {
  // A page in the background draws no frames.
  return new Promise((resolve) => {
    requestAnimationFrame(() => resolve());
    setTimeout(resolve, 100);
  });
}
