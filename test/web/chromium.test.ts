/** A browser that several tests share outlives a crash, so that only the test that it belongs to fails. */
import { afterAll, expect } from "bun:test";

import { needs } from "../support/needs.ts";
import { shareChromium, textOf, type Chromium } from "./chromium.ts";

const test = needs("chromium");
let chromium: Chromium | undefined;

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
});

test("after a crash the next page is in a new browser", async () => {
	chromium = await shareChromium();
	await chromium.open("data:text/html,first");
	const gone = await chromium.browser();
	gone.process()?.kill("SIGKILL");
	while (gone.connected) await Bun.sleep(5);
	await chromium.closePages();
	const pages = await Promise.all([1, 2].map((n) => chromium?.open(`data:text/html,second ${n}`)));
	expect(await Promise.all(pages.map((page) => page && textOf(page, "body")))).toEqual([
		"second 1",
		"second 2",
	]);
	expect(pages[0]?.browser()).toBe(pages[1]?.browser() as never);
});
