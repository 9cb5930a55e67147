/**
 * `npm run site`: the documentation as a static site, into `dist/site` (or `--outdir DIR`). The tour plays the recording of
 * the docs.
 */
import { chmod, copyFile, cp, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { buildPages, type Source } from "./build.ts";

const root = join(import.meta.dir, "../..");
const usual = join(root, "dist/site");

const { values } = parseArgs({ options: { outdir: { type: "string" } } });
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

/** A page that plays it, without a network; for everybody, and not only for who made it. */
async function writeTour(path: string): Promise<void> {
	const recording = join(root, "docs/demo.cassette");
	const tau = process.env.TAU_TEST_PROGRAM ?? join(root, "tau");
	await using replay = Bun.spawn([tau, "replay", recording, "--output", path], {
		stdin: "ignore",
		stdout: "ignore",
		stderr: "inherit",
	});
	if ((await replay.exited) !== 0) throw new Error(`tau replay did not write ${path}`);
	await chmod(path, 0o644);
}

const tour = "live-tour.html";
await prepare();
await writeTour(join(outdir, tour));
const pages = buildPages(await sources(), {
	version,
	repository: repository.url.replace(/^git\+|\.git$/g, ""),
	tour,
});
for (const { path, html } of pages) {
	await mkdir(dirname(join(outdir, path)), { recursive: true });
	await Bun.write(join(outdir, path), html);
}
await Bun.write(join(outdir, "search.json"), JSON.stringify(pages.flatMap(({ parts }) => parts)));
for (const name of ["site.css", "search.js"]) await copyFile(join(import.meta.dir, name), join(outdir, name));
await cp(join(root, "docs/pictures"), join(outdir, "pictures"), { recursive: true });
process.stdout.write(`${outdir}: ${pages.length} pages\n`);
