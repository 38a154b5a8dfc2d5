/** One script tag is enough: its `data-endpoint` and other data become the widget's attributes. */
export function placeWidget(): void {
  const script = document.querySelector('script[src*="quoth-widget.js"][data-endpoint]');
  if (!script || document.querySelector("quoth-widget")) return;
  const widget = document.createElement("quoth-widget");
  for (const { name, value } of script.attributes) {
    if (name.startsWith("data-")) widget.setAttribute(name.slice(5), value);
  }
  document.body.append(widget);
}
