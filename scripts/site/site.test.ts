/** The site has every page of the docs, its links lead somewhere, and its search finds headings. */
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";

import { buildPages, type Source } from "./build.ts";
import { sections } from "./contents.ts";

const root = join(import.meta.dir, "../..");
const facts = { version: "1.2.3", repository: "https://example.com/tau" };

async function docs(): Promise<Source[]> {
	const paths = ["README.md", "CHANGELOG.md", ...new Bun.Glob("docs/**/*.md").scanSync({ cwd: root })];
	return await Promise.all(
		paths.map(async (path) => ({ path, text: await Bun.file(join(root, path)).text() })),
	);
}

const pages = buildPages(await docs(), facts);
const byPath = new Map(pages.map((page) => [page.path, page]));

test("every link of every page leads to a page and heading that there is, a picture, or the repository", () => {
	const wrong: string[] = [];
	for (const { path, html } of pages) {
		for (const [, target = ""] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
			if (/^[a-z]+:/i.test(target) || /(?:site\.css|search\.js)$/.test(target)) continue;
			const [file = "", fragment] = target.split("#");
			const meant = file === "" ? path : normalize(join(dirname(path), file));
			const page = byPath.get(meant);
			const isThere = page !== undefined || existsSync(join(root, "docs", meant));
			const hasHeading =
				fragment === undefined || page?.html.includes(` id="${decodeURIComponent(fragment)}"`);
			if (!isThere || !hasHeading) wrong.push(`${path}: ${target}`);
		}
	}
	expect(wrong).toEqual([]);
});

test("the navigation names every page, and no page that is not there", () => {
	for (const name of sections.flatMap((section) => section.pages))
		expect([...byPath.keys()]).toContain(`${name}.html`);
	const home = byPath.get("index.html")?.html ?? "";
	for (const { path } of pages.filter((page) => page.path !== "CHANGELOG.html"))
		expect(home).toContain(`href="${path}"`);
});

test("the search knows headings with what is below them, as text", () => {
	const parts = byPath.get("ide.html")?.parts ?? [];
	expect(parts.map(({ at }) => at)).toContain("ide.html#which-editors");
	expect(parts.find(({ heading }) => heading === "When Tau connects")?.text).toContain("terminal (default)");
	expect(parts.some(({ text }) => /<[a-z]+[ >]/.test(text.replace(/<\w+>/g, "")))).toBe(false);
});

test("a recording is shown in the tour, cut off from the page", () => {
	const tour = buildPages([{ path: "docs/tour.md", text: "# A tour\n\nText." }], {
		...facts,
		tour: "live-tour.html",
	});
	expect(tour[0]?.html).toContain('sandbox="allow-scripts" src="live-tour.html"');
	expect(byPath.get("tour.html")?.html).not.toContain("<iframe");
});

test("the site is written as a whole, and its tour plays the recording of the docs", async () => {
	const parent = mkdtempSync(join(tmpdir(), "tau-site-"));
	try {
		const outdir = join(parent, "site");
		const main = join(import.meta.dir, "main.ts");
		await using site = Bun.spawn([process.execPath, main, "--outdir", outdir], { stdout: "pipe" });
		expect(await site.exited).toBe(0);
		expect(await Bun.file(join(outdir, "tour.html")).text()).toContain('src="live-tour.html"');
		// Whoever serves the site need not be who made it.
		expect(statSync(join(outdir, "live-tour.html")).mode & 0o777).toBe(0o644);
		expect(await Bun.file(join(outdir, "live-tour.html")).text()).toContain("the tests fail, find out why");
	} finally {
		rmSync(parent, { recursive: true, force: true });
	}
});
