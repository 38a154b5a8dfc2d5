// Material's instant navigation replaces a page's text and leaves the widget: tells it the new page.
const FACTS = { "page-source": "source", "chapter-title": "chapter" };

globalThis.document$?.subscribe(() => {
  const widget = document.querySelector("quoth-widget");
  const page = document.querySelector("template.quoth-page");
  for (const [attribute, fact] of Object.entries(FACTS)) {
    const value = page?.dataset[fact];
    if (value === undefined) widget?.removeAttribute(attribute);
    else widget?.setAttribute(attribute, value);
  }
});
