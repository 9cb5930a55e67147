/**
 * `npm run site`: the documentation as a static site, into `dist/site` (or `--outdir DIR`). `--tour FILE` shows a page that
 * plays a recording in the tour.
 */
import { copyFile, cp, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { buildPages, type Source } from "./build.ts";

const root = join(import.meta.dir, "../..");
const usual = join(root, "dist/site");

const { values } = parseArgs({ options: { outdir: { type: "string" }, tour: { type: "string" } } });
const outdir = resolve(values.outdir ?? usual);
const { version, repository } = await Bun.file(join(root, "package.json")).json();

/** Only the usual place is ours to empty. */
async function prepare(): Promise<void> {
	if (outdir === usual) await rm(usual, { recursive: true, force: true });
	await mkdir(outdir, { recursive: true });
	if ((await readdir(outdir)).length > 0) throw new Error(`${outdir} is not empty: name another directory`);
}

async function sources(): Promise<Source[]> {
	const paths = ["README.md", "CHANGELOG.md", ...new Bun.Glob("docs/**/*.md").scanSync({ cwd: root })];
	return await Promise.all(
		paths.toSorted().map(async (path) => ({ path, text: await Bun.file(join(root, path)).text() })),
	);
}

await prepare();
const pages = buildPages(await sources(), {
	version,
	repository: repository.url.replace(/^git\+|\.git$/g, ""),
	tour: values.tour === undefined ? undefined : "live-tour.html",
});
for (const { path, html } of pages) {
	await mkdir(dirname(join(outdir, path)), { recursive: true });
	await Bun.write(join(outdir, path), html);
}
await Bun.write(join(outdir, "search.json"), JSON.stringify(pages.flatMap(({ parts }) => parts)));
for (const name of ["site.css", "search.js"]) await copyFile(join(import.meta.dir, name), join(outdir, name));
await cp(join(root, "docs/pictures"), join(outdir, "pictures"), { recursive: true });
if (values.tour !== undefined) await copyFile(resolve(values.tour), join(outdir, "live-tour.html"));
process.stdout.write(`${outdir}: ${pages.length} pages\n`);
