// Draws each figure's table as a chart. The table stays: for screen readers, for who has no script,
// and in print.
import {
  BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, LineController, LineElement,
  PointElement, Tooltip,
} from "chart.js";

Chart.register(
  BarController, BarElement, CategoryScale, Legend, LinearScale, LineController, LineElement,
  PointElement, Tooltip,
);
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;

const SERIES = ["--series-1", "--series-2", "--series-3"];
const drawn = [];

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function read(table) {
  const [head, ...rows] = [...table.rows];
  const names = [...head.cells].slice(1).map((cell) => cell.textContent.trim());
  const columns = [...head.cells].slice(1)
    .map((cell, at) => ("series" in cell.dataset ? at : -1)).filter((at) => at >= 0);
  const most = innerWidth < 600 ? 18 : 40;
  const labels = rows
    .map((row) => row.cells[0].dataset.label ?? row.cells[0].textContent.trim())
    .map((label) => (label.length > most ? `${label.slice(0, most - 1)}…` : label));
  const series = columns.map((at) => ({
    label: names[at],
    data: rows.map((row) => {
      const value = row.cells[at + 1].dataset.value;
      return value === undefined || value === "" ? null : Number(value);
    }),
  }));
  return { labels, series };
}

function options(figure) {
  const across = figure.dataset.chart === "across";
  const stacked = figure.dataset.chart === "stacked";
  const share = "share" in figure.dataset;
  const ink = colour("--ink-soft");
  const grid = { color: colour("--line") };
  const numbers = {
    beginAtZero: true, stacked, grid, max: share ? 1 : undefined,
    ticks: { color: ink, precision: share ? undefined : 0,
      callback: share ? (value) => `${Math.round(value * 100)} %` : undefined },
  };
  const names = {
    stacked, grid: { display: false },
    ticks: { color: ink, maxRotation: 0, autoSkip: !across, autoSkipPadding: 12 },
  };
  return {
    indexAxis: across ? "y" : "x",
    scales: across ? { x: numbers, y: names } : { x: names, y: numbers },
    plugins: {
      legend: { display: !across, labels: { color: ink, boxWidth: 12 } },
      tooltip: { callbacks: share
        ? { label: (item) => `${item.dataset.label}: ${(item.parsed.y * 100).toFixed(1)} %` } : {} },
    },
  };
}

function draw(figure) {
  const { labels, series } = read(figure.querySelector("table"));
  const line = figure.dataset.chart === "line";
  const datasets = series.map((each, at) => {
    const own = colour(SERIES[at % SERIES.length]);
    return { ...each, backgroundColor: own, borderColor: own, spanGaps: false,
      borderWidth: line ? 2 : 0, pointRadius: line ? 2 : 0, borderDash: at && line ? [6, 3] : [] };
  });
  const place = figure.querySelector(".drawing");
  place.hidden = false;
  if (figure.dataset.chart === "across") {
    place.style.height = `${Math.max(8, labels.length * 2.1 + 2.5)}rem`;
  }
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${figure.querySelector("figcaption").textContent.trim()}. The same as a table below.`);
  place.replaceChildren(canvas);
  drawn.push(new Chart(canvas, {
    type: line ? "line" : "bar", data: { labels, datasets }, options: options(figure),
  }));
}

function drawAll() {
  for (const chart of drawn.splice(0)) chart.destroy();
  for (const figure of document.querySelectorAll("figure[data-chart]")) draw(figure);
}

drawAll();
for (const details of document.querySelectorAll("figure details")) details.open = false;
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const details of closed) details.open = true;
  for (const chart of drawn) chart.resize();
});
addEventListener("afterprint", () => {
  for (const details of closed) details.open = false;
  for (const chart of drawn) chart.resize();
});

// On the review page a key presses the button that names it, while the answer has the focus.
const answer = document.querySelector("article[data-keys]");
answer?.focus();
answer?.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input")) return;
  answer.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`)?.click();
});
