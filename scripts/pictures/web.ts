/** Photographs the screens of the page in a real Chromium, with played sessions: light and dark, for a desk and a phone. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { launchChromium } from "../../test/web/chromium.ts";
import { startDemoHost } from "../../test/web/demo-host.ts";
import { screens, showScreen } from "../../test/web/screens.ts";

const root = join(import.meta.dir, "../..");
/** Those that docs/web.md shows; every one is written to the cache, to look at after a change. */
const inDocs: ReadonlySet<string> = new Set(["session-light-1440", "question-dark-360"]);

export async function photograph(names: readonly string[]): Promise<void> {
	await using host = await startDemoHost();
	await using chromium = await launchChromium();
	const all = join(root, "node_modules/.cache/views/web");
	for (const directory of [all, join(root, "docs/pictures")]) mkdirSync(directory, { recursive: true });
	for (const theme of ["light", "dark"] as const)
		for (const width of [1440, 360]) {
			const page = await chromium.open(`${host.url}#/`, { width, height: width === 360 ? 720 : 900, theme });
			for (const screen of screens.filter(({ name }) => names.length === 0 || names.includes(name))) {
				// One that was asked for by name may have the address of the one before.
				await page.goto("about:blank");
				await showScreen(page, host.url, screen);
				const name = `${screen.name}-${theme}-${width}`;
				const picture = await page.screenshot();
				await Bun.write(join(all, `${name}.png`), picture);
				if (inDocs.has(name)) await Bun.write(join(root, `docs/pictures/web-${name}.png`), picture);
				process.stdout.write(`${name}\n`);
			}
			await page.close();
		}
}
