/** Guests in a real Chromium: the page that a relay serves, opened with the link that `/collab` prints. */
import { expect } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "puppeteer-core";

import { openTau, type OpenTau } from "../interactive/driver.ts";
import { tauProgram } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { seriousFindings } from "../web/axe.ts";
import { shareChromium, textOf, until, untilText } from "../web/chromium.ts";

const test = needs("chromium");

/** `tau relay` as a process; `bind` is its address when it is started again. */
async function runRelay(
	bind = "127.0.0.1:0",
): Promise<{ url: string; kill(): Promise<void> } & AsyncDisposable> {
	const directory = mkdtempSync(join(tmpdir(), "tau-relay-page-"));
	const child = Bun.spawn([tauProgram, "relay", bind], {
		env: { PATH: process.env.PATH ?? "", HOME: directory },
		stdio: ["ignore", "ignore", "pipe"],
	});
	const listening = Promise.withResolvers<string>();
	void (async () => {
		let output = "";
		for await (const part of child.stderr) {
			output += new TextDecoder().decode(part);
			const [, url] = /listens on (\S+)\s/.exec(output) ?? [];
			if (url !== undefined) listening.resolve(url);
		}
		listening.reject(new Error(output));
	})();
	const kill = async (): Promise<void> => {
		child.kill("SIGKILL");
		await child.exited;
	};
	return {
		url: await listening.promise,
		kill,
		async [Symbol.asyncDispose]() {
			await kill();
			rmSync(directory, { recursive: true, force: true });
		},
	};
}

/** The last link for browsers on the screen, which may have wrapped. */
function browserLinkOn(host: OpenTau): string {
	const text = host.scrollback().replaceAll(/\s*\n\s*/g, "");
	const links = [...text.matchAll(/any web browser: ?(http\S+?#[\w-]{22}\.(?:[\w-]{64}|[\w-]{43}))/g)];
	const link = links.at(-1)?.[1];
	if (link === undefined) throw new Error(`no link: ${text}`);
	return link;
}

async function giveName(page: Page, name: string): Promise<void> {
	await page.waitForSelector(".guest-name input");
	await page.type(".guest-name input", name);
	await page.keyboard.press("Enter");
}

test("a guest in a browser reads, prompts, sees the answer as it is written, interrupts, and comes back", async () => {
	await using chromium = await shareChromium();
	const relay = await runRelay();
	await using _relay = relay;
	await using host = await openTau(
		{
			steps: [
				"The **first** answer.",
				{
					answer: { blocks: [{ text: "Alpha beta gamma delta epsilon zeta.", chunks: 6 }] },
					fault: { pauseMs: 120_000, afterChunks: 3 },
				},
				"Said while the relay was away.",
			],
		},
		{ cols: 140 },
	);
	await host.until("played-1");
	host.type("from the host\r");
	await host.until("first answer.");
	host.type(`/collab ${relay.url.replace("http", "ws")}\r`);
	await host.until("any web browser");
	const link = browserLinkOn(host);
	const key = link.slice(link.lastIndexOf(".") + 1);
	const page = await chromium.open("about:blank");
	const asked: string[] = [];
	page.on("request", (request) => asked.push(request.url()));
	await page.goto(link);
	await giveName(page, "Ann");
	await untilText(page, "The first answer.", ".transcript");
	expect(await textOf(page, ".transcript")).toContain("from the host");
	expect(await textOf(page, ".bar")).toContain("guest as Ann");
	expect(await page.evaluate('document.querySelectorAll(".sidebar, .bar-back, .bar-sidebar").length')).toBe(
		0,
	);
	await host.until("Ann joined the collab session");
	for (const [typed, words] of [
		["/model", "/model is host-only during a collab session"],
		["/nonsense", "/nonsense is host-only during a collab session"],
		["!ls", "bash is host-only during a collab session"],
	] as const) {
		await page.type("#composer", typed);
		await page.keyboard.press("Enter");
		await untilText(page, words);
	}
	await page.type("#composer", "from the guest");
	await page.keyboard.press("Enter");
	await host.until("from Ann");
	// The model stands still in the middle of its answer.
	await untilText(page, "Alpha beta", ".transcript");
	expect(await textOf(page, ".transcript")).not.toContain("zeta");
	await page.click(".send.stop");
	await until(page, '!document.querySelector(".send.stop")');
	await host.until("Ann interrupted the run.");
	await relay.kill();
	await untilText(page, "Connecting again", ".connection");
	host.type("meanwhile\r");
	await host.until("Said while the relay was away.");
	await using _again = await runRelay(new URL(relay.url).host);
	await untilText(page, "Said while the relay was away.", ".transcript");
	await until(page, '!document.querySelector(".connection")');
	expect(await textOf(page, "body")).not.toMatch(/interrupted the run|relay connection lost|relay is back/);
	await page.reload();
	// The name is not asked for again.
	await untilText(page, "Said while the relay was away.", ".transcript");
	host.type("/collab stop\r");
	await untilText(page, "The host has stopped sharing.", ".connection-ended");
	expect(await page.$("#composer")).toBeNull();
	expect(asked.filter((url) => !url.startsWith(`${relay.url}/`))).toEqual([]);
	expect(asked.some((url) => (url.split("#")[0] ?? "").includes(key))).toBe(false);
});

test("who may approve answers the host's question, who may comment speaks to the others, and all are told when the host is gone", async () => {
	await using chromium = await shareChromium();
	await using relay = await runRelay();
	const made = { name: "bash", arguments: { command: "node -e 1; touch made" } };
	await using host = await openTau(
		{ steps: [{ answer: { blocks: [{ toolCall: made }] } }, "Made it."] },
		{ cols: 140, args: ["--approval-mode", "ask"] },
	);
	await host.until("played-1");
	host.type(`/collab ${relay.url.replace("http", "ws")}\r`);
	await host.until("any web browser");
	const prompting = await chromium.open(browserLinkOn(host));
	await giveName(prompting, "Bob");
	await prompting.waitForSelector("#composer");
	host.type("/collab link approve Ann\r");
	await host.until("approve what it does on this machine");
	const page = await chromium.open(browserLinkOn(host));
	await giveName(page, "Ann");
	await page.waitForSelector("#composer");
	host.type("/collab link comment Cleo\r");
	await host.until("read the session and comment on it");
	const commenting = await chromium.open(browserLinkOn(host));
	await giveName(commenting, "Cleo");
	await commenting.waitForSelector("#composer");
	await prompting.type("#composer", "go");
	await prompting.keyboard.press("Enter");
	await untilText(page, "touch made", ".request");
	await untilText(prompting, "You may read this question, not answer it.", ".request");
	await prompting.keyboard.press("1");
	await until(page, 'document.querySelector(".choice.allow").ariaDisabled === "false"');
	await page.click(".choice.allow");
	await host.until("Answered by Ann.");
	await untilText(page, "Made it.", ".transcript");
	await untilText(prompting, "Made it.", ".transcript");
	expect(existsSync(join(host.home.project, "made"))).toBe(true);
	await commenting.type("#composer", "looks right");
	await commenting.keyboard.press("Enter");
	for (const each of [page, commenting]) await untilText(each, "Cleo commented: looks right", ".transcript");
	await host.until("Cleo commented: looks right");
	expect(await textOf(page, ".transcript")).not.toMatch(/looks right[^]*looks right/);
	process.kill(host.pid, "SIGKILL");
	await host.exited;
	await untilText(page, "Connecting again", ".connection");
});

test("a link to view has no composer, and the relay inside the host's process has the page as well", async () => {
	await using chromium = await shareChromium();
	await using host = await openTau({ steps: ["The answer."] }, { cols: 140 });
	await host.until("played-1");
	host.type("/collab view\r");
	await host.until("Run one in this process");
	host.type("1");
	await host.until("any web browser");
	const link = browserLinkOn(host);
	const page = await chromium.open(link, { width: 360 });
	await page.waitForSelector(".guest-name");
	expect(await seriousFindings(page)).toEqual([]);
	await giveName(page, "  Eve\u202e ");
	await untilText(page, "View only", ".dock");
	host.type("question\r");
	await untilText(page, "The answer.", ".transcript");
	expect(await page.$("#composer")).toBeNull();
	expect(await seriousFindings(page)).toEqual([]);
	await host.until("Eve joined the collab session");
	const { origin } = new URL(link);
	const { headers } = await fetch(origin);
	const policy = headers.get("content-security-policy") ?? "";
	expect(policy).toContain("default-src 'none'; script-src 'self'");
	expect(policy).toContain("connect-src 'self';");
	expect(policy).toContain("require-trusted-types-for 'script'");
	expect(headers.get("referrer-policy")).toBe("no-referrer");
	// What is no link of this relay is said, and connects nowhere.
	for (const [fragment, words] of [
		["", "Tau relay"],
		["#nonsense", "missing the <key> part"],
		[`#wss://elsewhere.example/r/${"a".repeat(22)}#${"A".repeat(43)}`, "https://elsewhere.example/"],
		[`#${"a".repeat(22)}.${"A".repeat(43)}`, "could not be joined"],
	] as const) {
		const other = await page.browserContext().newPage();
		await other.goto(`${origin}/${fragment}`);
		await untilText(other, words);
		await other.close();
	}
	const plain = await page.browserContext().newPage();
	// As on an address without TLS that is not this machine's.
	await plain.evaluateOnNewDocument('Object.defineProperty(window, "isSecureContext", { value: false })');
	await plain.goto(link);
	await untilText(plain, "Open this link with https://");
	expect((await fetch(`${origin}/sw.js`)).status).toBe(404);
	expect(chromium.errors.filter((each) => !/WebSocket connection/.test(each))).toEqual([]);
});
