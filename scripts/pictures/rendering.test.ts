/** Browsers draw every letter of the pictures in the column where the terminal had it. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, setDefaultTimeout, test } from "bun:test";

import { needs } from "../../test/support/needs.ts";

const directory = join(import.meta.dir, "../../docs/pictures");
const pictures = [...new Bun.Glob("*.svg").scanSync(directory)].toSorted();
const cellWidth = 8.4;
/** Letters are placed in fractions of a pixel; a lost blank moves one by a whole cell. */
const toleratedShift = cellWidth / 4;
const patienceMs = 45_000;
// A browser that starts for the first time, and its end.
setDefaultTimeout(2 * patienceMs);

interface Letter {
	picture: string;
	text: string;
	shift: number;
}

/** Runs in the page: how far each letter is from the column that its place in the text gives it. */
const measure = `
	const found = [];
	for (const picture of document.querySelectorAll("figure")) {
		for (const text of picture.querySelectorAll("text")) {
			const start = Number(text.getAttribute("x"));
			const letters = text.textContent;
			// One letter may be a wide one.
			const cells = Math.round(Number(text.getAttribute("textLength")) / ${cellWidth});
			const isWide = letters.length === 1 && cells === 2;
			if (text.getNumberOfChars() !== letters.length || (cells !== letters.length && !isWide)) {
				found.push({ picture: picture.id, text: letters, shift: Infinity });
				continue;
			}
			for (let at = 0; at < letters.length; at++) {
				const shift = Math.abs(text.getStartPositionOfChar(at).x - start - at * ${cellWidth});
				if (shift > ${toleratedShift}) {
					found.push({ picture: picture.id, text: letters, shift });
					break;
				}
			}
		}
	}
	const texts = document.querySelectorAll("text").length;
	fetch("/measured", { method: "POST", body: JSON.stringify({ texts, found }) });
`;

async function misplaced(command: (url: string, profile: string) => string[]): Promise<Letter[]> {
	const figures = pictures.map(
		(name) => `<figure id="${name}">${readFileSync(join(directory, name), "utf8")}</figure>`,
	);
	const page = `<!doctype html><meta charset="utf-8">${figures.join("")}<script>${measure}</script>`;
	const { promise, resolve } = Promise.withResolvers<{ texts: number; found: Letter[] }>();
	await using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		routes: {
			"/": new Response(page, { headers: { "content-type": "text/html" } }),
			"/measured": async (request) => {
				resolve((await request.json()) as { texts: number; found: Letter[] });
				return new Response();
			},
		},
	});
	const profile = mkdtempSync(join(tmpdir(), "tau-pictures-browser-"));
	const browser = Bun.spawn(command(server.url.href, profile), {
		stdio: ["ignore", "ignore", "ignore"],
		env: { ...process.env, HOME: profile },
	});
	try {
		const late = Promise.withResolvers<never>();
		AbortSignal.timeout(patienceMs).addEventListener("abort", () =>
			late.reject(new Error("the browser has measured nothing")),
		);
		const { texts, found } = await Promise.race([promise, late.promise]);
		expect(texts).toBeGreaterThan(pictures.length * 10);
		return found;
	} finally {
		browser.kill("SIGKILL");
		await browser.exited;
		rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
	}
}

needs("chromium")("every letter of a picture is in its column in Chromium", async () => {
	const quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update"];
	const found = await misplaced((url, profile) => [
		"chromium",
		"--headless",
		"--no-sandbox",
		"--disable-gpu",
		"--disable-dev-shm-usage",
		...quiet,
		"--remote-debugging-port=0",
		`--user-data-dir=${profile}`,
		url,
	]);
	expect(found).toEqual([]);
});

needs("firefox-esr")("every letter of a picture is in its column in Firefox", async () => {
	const found = await misplaced((url, profile) => [
		"firefox-esr",
		"--headless",
		"--no-remote",
		"--profile",
		profile,
		url,
	]);
	expect(found).toEqual([]);
});

test("a picture has no text that begins or ends with a blank", () => {
	for (const name of pictures)
		expect(readFileSync(join(directory, name), "utf8")).not.toMatch(/<text [^>]*>(?: |[^<]* <)/);
});
