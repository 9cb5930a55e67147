/** What the composer shows of files before they are sent, in a real Chromium against the real program. */
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "puppeteer-core";

import { docx, pdf } from "../support/document-files.ts";
import { needs } from "../support/needs.ts";
import { png } from "../support/read-fixture.ts";
import { seriousFindings } from "./axe.ts";
import { shareChromium, textOf, until, untilText, type Chromium } from "./chromium.ts";
import { launchWeb, type LaunchedWeb } from "./launch-web.ts";

const test = needs("chromium");
const directory = mkdtempSync(join(tmpdir(), "tau-previews-"));
let tau: LaunchedWeb;
let chromium: Chromium;
let page: Page;

interface UploadField {
	uploadFile(...paths: string[]): Promise<void>;
}

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	tau = await launchWeb({ steps: ["Read."] });
	chromium = await shareChromium();
	page = await chromium.open(await tau.link());
	await page.waitForSelector(".sidebar");
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
});

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await tau?.[Symbol.asyncDispose]();
	rmSync(directory, { recursive: true, force: true });
});

/** Adds a file and opens its preview. */
async function preview(name: string, bytes: Uint8Array): Promise<void> {
	const path = join(directory, name);
	writeFileSync(path, bytes);
	const field = (await page.$("input[type=file][multiple]")) as UploadField | null;
	await field?.uploadFile(path);
	await page.waitForSelector(".attachment-ready", { timeout: 20_000 });
	await page.click(`[aria-label="Preview ${name}"]`);
	await page.waitForSelector(".preview-body");
}

async function closeAndRemove(name: string): Promise<void> {
	await page.keyboard.press("Escape");
	await until(page, '!document.querySelector(".preview-dialog")');
	await page.click(`[aria-label="Remove ${name}"]`);
	await until(page, '!document.querySelector(".attachment")');
}

/** How many of its pixels are not white. */
const ink = (selector: string): string => `(() => {
	const image = document.querySelector(${JSON.stringify(selector)});
	if (!image?.complete || image.naturalWidth === 0) return -1;
	const canvas = document.createElement("canvas");
	[canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
	const context = canvas.getContext("2d");
	context.drawImage(image, 0, 0);
	const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
	let dark = 0;
	for (let at = 0; at < data.length; at += 4) if (data[at] < 200) dark++;
	return dark;
})()`;

test("a PDF has its first page beside its name, and its pages in the preview", async () => {
	await preview("report.pdf", pdf(["First page of the report", "Second page"]));
	await until(page, `${ink(".preview-pages img")} > 50`);
	expect(await page.$$eval(".preview-pages img", (all) => all.length)).toBe(2);
	await until(page, `${ink(".attachment img")} >= 0`);
	expect(await seriousFindings(page)).toEqual([]);
	await closeAndRemove("report.pdf");
});

test("a PDF that cannot be drawn says why, and still goes with the prompt", async () => {
	await preview("broken.pdf", new TextEncoder().encode("%PDF-1.4\nnothing of one"));
	await untilText(page, "The pages cannot be drawn", ".preview-body");
	await closeAndRemove("broken.pdf");
});

test("a table shows its first rows, a document and an archive the text that the model gets", async () => {
	const rows = Array.from({ length: 200 }, (_, at) => `<b>row ${at}</b>,${at}`).join("\n");
	await preview("table.csv", new TextEncoder().encode(`name,count\n${rows}\n`));
	await untilText(page, "<b>row 3</b>", ".preview-body table");
	expect(await page.$$eval(".preview-body tbody tr", (all) => all.length)).toBe(50);
	await closeAndRemove("table.csv");
	await preview("letter.docx", docx("<w:p><w:r><w:t>Dear reader</w:t></w:r></w:p>"));
	await untilText(page, "Dear reader", ".preview-text");
	await closeAndRemove("letter.docx");
});

test("a picture is shown, and everything is closed by Escape without a change of the draft", async () => {
	await page.type("#composer", "look at it");
	await preview("photo.png", await png(400, 300));
	await page.waitForSelector(".preview-image");
	await closeAndRemove("photo.png");
	expect(await page.evaluate('document.querySelector("#composer").value')).toBe("look at it");
	expect(await textOf(page, ".transcript")).not.toContain("look at it");
});

test("nothing that draws documents is loaded before the first one", async () => {
	const other = await chromium.open("about:blank");
	const asked: string[] = [];
	other.on("request", (request) => void asked.push(new URL(request.url()).pathname));
	await other.goto(await tau.link());
	await other.waitForSelector(".sidebar");
	expect(asked.filter((path) => path.includes("pdf"))).toEqual([]);
	await other.close();
});

test("no page has reported an error", () => {
	expect(chromium.errors).toEqual([]);
});
