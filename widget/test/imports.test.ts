/// <reference types="vite/client" />
import { expect, test } from "vitest";

const SOURCES = import.meta.glob<string>("../src/*.ts", { query: "?raw", import: "default", eager: true });

/** The files that a file imports, lazily or for types only included. */
function importsOf(name: string): string[] {
  return [...(SOURCES[name] ?? "").matchAll(/(?:from|import)\s*\(?\s*"\.\/([\w-]+)"/g)].map(([, found]) => `../src/${found}.ts`);
}

/** The first chain of imports that comes back to where it began. */
function circleFrom(name: string, path: string[], done: Set<string>): string[] | null {
  if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
  if (done.has(name)) return null;
  for (const next of importsOf(name)) {
    const circle = circleFrom(next, [...path, name], done);
    if (circle) return circle;
  }
  done.add(name);
  return null;
}

test("no file imports itself through others", () => {
  const names = Object.keys(SOURCES);
  expect(names.flatMap(importsOf).length).toBeGreaterThan(100);
  const done = new Set<string>();
  expect(names.map((name) => circleFrom(name, [], done)).filter(Boolean)).toEqual([]);
});
