/** Makes tabs of the titled parts in each row. Without this script all of them are shown. */
document.querySelectorAll("main .tabs").forEach((row, number) => {
  const panels = [...row.children].filter((child) => child.matches(".tab"));
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  const tabs = panels.map((panel, at) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${number}-${at}`;
    panel.id ||= `panel-${number}-${at}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    tab.append(...panel.querySelector(":scope > .title").childNodes);
    panel.querySelector(":scope > .title").remove();
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => choose(at));
    return tab;
  });
  const choose = (chosen) => {
    panels.forEach((panel, at) => (panel.hidden = at !== chosen));
    tabs.forEach((tab, at) => {
      tab.setAttribute("aria-selected", at === chosen);
      tab.tabIndex = at === chosen ? 0 : -1;
    });
  };
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    const next = (tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length;
    choose(next);
    tabs[next].focus();
  });
  list.append(...tabs);
  row.prepend(list);
  choose(0);
});
