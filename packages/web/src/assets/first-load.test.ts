/** What a browser has to fetch before it shows a session. */
import { expect, test } from "bun:test";
import { brotliCompressSync } from "node:zlib";

import { pageAssets } from "./index.ts";

const mostKB = 90;

test(`the first load of the page is at most ${mostKB} KB, compressed as the executable has it`, async () => {
	const assets = await pageAssets();
	const page = new TextDecoder().decode(await assets.get("/")?.body());
	// Nothing else is fetched before the first screen: what is imported at the start is named in the document.
	const named = [...page.matchAll(/"(\/(?:assets\/[\w.-]+|icon\.svg))"/g)].map(([, path = ""]) => path);
	expect(named.length).toBeGreaterThan(3);
	let bytes = 0;
	for (const path of ["/", ...named]) {
		const body = (await assets.get(path)?.body()) ?? new Uint8Array();
		bytes += brotliCompressSync(body).length;
		// The highlighter, the charts and the pages of PDF files come with the first thing that needs them.
		expect(new TextDecoder().decode(body)).not.toMatch(/\.hljs|highlightAuto|u-over|getDocument\(/);
	}
	expect(bytes / 1024).toBeLessThan(mostKB);
});
