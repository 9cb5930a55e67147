import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "bun:test";
import type { CDPSession } from "puppeteer-core/internal/puppeteer-core-browser.js";

import type { ToolEnv } from "@tau/tools/tool";
import { ProjectStorage } from "./storage.ts";

const origin = "https://shop.example";

/** A tab whose responses come when the test says so. */
class FakeTab extends EventEmitter {
	readonly sent: string[] = [];
	#isSlow = Promise.withResolvers<void>();

	respond(): void {
		this.#isSlow.resolve();
	}

	async send(method: string): Promise<unknown> {
		this.sent.push(method);
		await this.#isSlow.promise;
		return method === "DOMStorage.getDOMStorageItems" ? { entries: [["visits", "1"]] } : { identifier: "7" };
	}

	/** A page of the origin is shown. */
	navigate(): void {
		this.emit("Page.frameNavigated", { frame: { securityOrigin: origin } });
	}

	get session(): CDPSession {
		return this as unknown as CDPSession;
	}
}

test("what was saved is restored once, also if the page is there before the tab has answered", async () => {
	const home = mkdtempSync(join(tmpdir(), "tau-storage-"));
	try {
		const settings = { get: () => true } as unknown as ToolEnv["settings"];
		const env = { env: { HOME: home }, cwd: home, settings };
		const before = new ProjectStorage(env);
		await before.begin();
		const earlier = new FakeTab();
		earlier.respond();
		await before.follow(earlier.session);
		earlier.navigate();
		await before.save();

		const storage = new ProjectStorage(env);
		await storage.begin();
		const tab = new FakeTab();
		const following = storage.follow(tab.session);
		while (tab.sent.length < 2) await Promise.resolve();
		tab.navigate();
		tab.respond();
		await following;
		// Its script is removed as soon as it is known: a tab that comes later gets none.
		const last = new FakeTab();
		last.respond();
		await storage.follow(last.session);
		for (let turns = 0; turns < 100; turns++) await Promise.resolve();
		const scripts = tab.sent.filter((method) => method.startsWith("Page."));
		expect(scripts).toEqual([
			"Page.addScriptToEvaluateOnNewDocument",
			"Page.removeScriptToEvaluateOnNewDocument",
		]);
		expect(last.sent.filter((method) => method.startsWith("Page."))).toEqual([]);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
});
