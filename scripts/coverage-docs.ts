/** Writes docs/compatibility.md and names.tsv from what pi and omp publish and what Tau has. */
import { join } from "node:path";

import { writePage } from "./write-page.ts";

const root = join(import.meta.dir, "..");
const folder = "packages/compat/src/compatibility";

/** Examples come before tests, and those of extensions before those of the parts. */
const places = [
	"packages/coding-agent/examples/extensions/**/*.ts",
	"test/extensions/**/*.test.ts",
	"packages/{extensions,resources,compat}/src/**/*.test.ts",
	"packages/{tui,agent,ai}/src/**/*.test.ts",
];

type Shown = Record<string, Record<string, string>>;

interface Published {
	exports: Record<string, Record<string, { values: string[] }>>;
	members: Record<string, Record<string, string[]>>;
}

/** How a name of each kind is written where it is used. */
function uses(kind: string, name: string): RegExp {
	const word = name.replaceAll("$", "\\$");
	if (kind === "events") return new RegExp(`["']${word}["']`);
	if (kind === "api") return new RegExp(`\\bpi\\.${word}\\b`);
	if (kind === "context") return new RegExp(`\\b(?:ctx|context)\\.${word}\\b`);
	if (kind === "ui") return new RegExp(`\\bui\\.${word}\\b`);
	return new RegExp(`\\b${word}\\b`);
}

/** What was found once stays as long as it is true, so that a new test elsewhere does not change the page. */
async function findShown(): Promise<Shown> {
	const published = (await Bun.file(join(root, folder, "published.json")).json()) as Published;
	const before = (await Bun.file(join(root, folder, "shown.json")).json()) as Shown;
	const texts = await readAll();
	const shown: Shown = {};
	const add = (key: string, names: Iterable<string>): void => {
		shown[key] = {};
		for (const name of [...new Set(names)].toSorted()) {
			const word = uses(key, name);
			const kept = before[key]?.[name];
			const still = kept !== undefined && word.test(texts.get(kept) ?? "");
			const found = still ? kept : [...texts].find(([, text]) => word.test(text))?.[0];
			if (found !== undefined) shown[key][name] = found;
		}
	};
	for (const [key, versions] of Object.entries(published.members)) add(key, Object.values(versions).flat());
	for (const [key, versions] of Object.entries(published.exports))
		add(
			key,
			Object.values(versions).flatMap(({ values }) => values),
		);
	return shown;
}

async function readAll(): Promise<Map<string, string>> {
	const texts = new Map<string, string>();
	for (const place of places) {
		const paths = [...new Bun.Glob(place).scanSync({ cwd: root })].filter(
			(path) => !path.includes("/compatibility/") && !path.includes("/exports/"),
		);
		for (const path of paths.toSorted()) texts.set(path, await Bun.file(join(root, path)).text());
	}
	return texts;
}

await Bun.write(join(root, folder, "shown.json"), `${JSON.stringify(await findShown(), null, "\t")}\n`);
/** Some classes that are compared come from the application. */
const setup = `(await import(${JSON.stringify(join(root, "packages/coding-agent/src/testing/index.ts"))})).provideApplication();`;
process.exitCode =
	(await writePage(`${folder}/page.ts`, "namesTable", `${folder}/names.tsv`, setup)) ||
	(await writePage(`${folder}/page.ts`, "coveragePage", "docs/compatibility.md", setup));
