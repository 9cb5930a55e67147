/** Sharing end to end: a session of the played model, a real relay, a real Chromium that opens the link. */
import { afterAll, beforeAll, describe, expect, test as plainTest } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { launch, type Launched, type Running } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { shareChromium, textOf, until, untilText, type Chromium } from "../web/chromium.ts";

const test = needs("chromium");
/** Assembled here: no key of this shape stands in the repository. */
const token = ["gh", "p_", "Zk3vQ9mT1xW7bR5nL2cY8dF4hJ6sA0gEuPiV"].join("");
const password = "plain words of a vault";
const env = { VAULT_PASSWORD: password };

let tau: Launched;
let relay: { running: Running; url: string };
let chromium: Chromium;
let blobs: string;
let url = "";

beforeAll(async () => {
	blobs = mkdtempSync(join(tmpdir(), "tau-shares-"));
	tau = await launch({
		steps: [
			{
				answer: {
					blocks: [
						{ text: "I write the file." },
						{
							toolCall: {
								name: "write",
								arguments: {
									path: "cart.ts",
									content: `export const token = "${token}";\nexport const total = 42;\n`,
								},
							},
						},
						{
							toolCall: {
								name: "bash",
								arguments: { command: `echo "the vault opens with ${password}"; cat no-such-file` },
							},
						},
					],
				},
			},
			{ answer: "The **cart** has a total now. <script>document.title = 'owned'</script>" },
		],
	});
	const running = tau.start(["relay", "127.0.0.1:0"], {
		env: { TAU_RELAY_SHARES: blobs, TAU_RELAY_DRAIN: "0" },
	});
	await running.until(({ err }) => err.includes("listens on"));
	relay = { running, url: /listens on (\S+)/.exec(running.output().err)?.[1] ?? "" };
	const settings = `share:\n  serverUrl: ${relay.url}\n`;
	writeFileSync(join(tau.agentDir, "config.yml"), settings);
	const asked = `Add a total to the cart in ${tau.home}/shop, with ${token}`;
	await tau.run(["-p", asked, "--auto-approve"], { env });
	if (Bun.which("chromium") !== null) chromium = await shareChromium();
});

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	relay?.running.process.kill("SIGTERM");
	await relay?.running.finished;
	await tau?.[Symbol.asyncDispose]();
	rmSync(blobs, { recursive: true, force: true });
});

const uploaded = (): string[] => readdirSync(blobs, { recursive: true }).map(String);

describe("before a yes", () => {
	plainTest(
		"what would leave is shown, and nothing is sent",
		async () => {
			const { code, out, err } = await tau.run(["share", "--dry-run"], { env });
			expect({ code, err }).toEqual({ code: 0, err: "" });
			expect(out).toContain(`Where   ${relay.url}, sealed`);
			expect(out).toMatch(/What {4}\d+ entries of the current branch, \d+ KB/);
			expect(out).toContain("Images  none");
			expect(out).toContain("Files   cart.ts");
			expect(out).toContain("masked  GitHub token: ghp_…[masked]");
			expect(out).toContain("masked  value of VAULT_PASSWORD");
			expect(out).toContain("masked  home directory");
			expect(out).not.toContain(token);
			expect(out).not.toContain(password);
			expect(uploaded()).toEqual([]);
		},
		180_000,
	);

	plainTest(
		"without a terminal and without --yes it refuses",
		async () => {
			const { code, err } = await tau.run(["share"], { env });
			expect(code).toBe(2);
			expect(err).toContain("add --yes");
			expect(uploaded()).toEqual([]);
		},
		180_000,
	);
});

test("the link opens in a browser, without the relay or anybody else knowing more than bytes", async () => {
	const { code, out, err } = await tau.run(["share", "--yes"], { env });
	expect({ code, err }).toEqual({ code: 0, err: "" });
	[, url = ""] = /Share URL: (\S+)/.exec(out) ?? [];
	expect(out).toMatch(/until \d{4}-\d\d-\d\d\. Delete it with \/unshare, or tau share rm [\w-]{8}\n$/);
	expect((await tau.run(["share", "list"])).out).toMatch(/^[\w-]{8} .*Add a total to the cart/);
	expect(url).toMatch(/\/s\/[\w-]{22}#[\w-]{43}$/);
	const page = await chromium.open(url, { width: 1440, height: 900 });
	const requests: string[] = [];
	page.on("request", (request) => requests.push(request.url()));
	await untilText(page, "The cart has a total now.");
	expect(await page.title()).not.toBe("owned");
	const text = await textOf(page, ".viewer");
	expect(text).toContain("ghp_…[masked]");
	expect(text).toContain("~/shop");
	expect(await page.content()).not.toContain(token);
	const stored = uploaded().map((name) => join(blobs, name));
	const bytes = stored.filter((name) => statSync(name).isFile()).map((name) => readFileSync(name, "latin1"));
	expect(bytes).toHaveLength(1);
	expect(bytes.join("")).not.toContain("cart");
	expect(requests.filter((address) => !address.startsWith(relay.url))).toEqual([]);
	expect(chromium.errors).toEqual([]);
});

test("the reader searches, opens a tool and its raw entry, and jumps to a message by its link", async () => {
	const page = await chromium.open(url, { width: 1440, height: 900 });
	await untilText(page, "The cart has a total now.");
	await page.keyboard.press("/");
	await page.type("#outline-search", "no-such-file");
	await until(page, 'document.querySelector(".outline-count").innerText.includes("1 found")');
	// Regression: the hit is in the output of a call, which stayed closed.
	await page.keyboard.press("Enter");
	await until(page, '!!document.querySelector(".row-call.is-target [aria-expanded=true]")');
	await untilText(page, "the vault opens with …[masked]", ".row-call .output");
	// Regression: an answer that says nothing before its calls, or thinks first, had no link.
	const messages = '[...document.querySelectorAll(".row-tools")].length';
	expect(await page.evaluate(messages)).toBe(3);
	await page.evaluate(
		'[...document.querySelectorAll(".viewer-actions .chip")].find((b) => b.innerText === "Open all tools").click()',
	);
	await untilText(page, "the vault opens with …[masked]");
	await page.evaluate('document.querySelector(".row-user [aria-label=\\"Show the raw entry\\"]").click()');
	await untilText(page, '"role": "user"', ".raw-entries");
	await page.evaluate(
		'document.querySelector(".row-user [aria-label=\\"Copy a link to this message\\"]").click()',
	);
	await until(page, 'location.hash.includes("&m=")');
	const there = String(await page.evaluate("location.href"));
	const again = await chromium.open(there);
	await until(again, '!!document.querySelector(".outline-prompt[aria-current]")');
	expect(chromium.errors).toEqual([]);
});

test("the outline shows prompts, tools or failures alone", async () => {
	const page = await chromium.open(url, { width: 1440, height: 900 });
	await untilText(page, "The cart has a total now.");
	const choose = (title: string): Promise<unknown> =>
		page.evaluate(
			`[...document.querySelectorAll(".outline-filters .chip")].find((chip) => chip.innerText === "${title}").click()`,
		);
	const rows = "[...document.querySelectorAll('.outline-row')]";
	await choose("Prompts");
	await until(page, `${rows}.length === 1 && ${rows}[0].matches(".outline-prompt")`);
	await choose("Tools");
	await until(page, `${rows}.length === 2 && ${rows}.every((row) => row.matches(".outline-call"))`);
	await choose("Failed");
	await until(page, `${rows}.length === 1 && ${rows}[0].innerText.includes("bash")`);
	expect(
		await page.evaluate('document.querySelectorAll(".outline-filters [aria-pressed=true]").length'),
	).toBe(1);
});

plainTest(
	"tau share open writes the page on this machine, and does not replace one",
	async () => {
		if (url === "")
			[, url = ""] = /Share URL: (\S+)/.exec((await tau.run(["share", "--yes"], { env })).out) ?? [];
		const opened = await tau.run(["share", "open", url]);
		expect(opened).toMatchObject({ code: 0, err: "" });
		const [, name = ""] = /(share-[\w-]+\.html)/.exec(opened.out) ?? [];
		const html = readFileSync(join(tau.project, name), "utf8");
		expect(html.includes("connect-src 'none'")).toBe(true);
		expect(html.includes(token)).toBe(false);
		const again = await tau.run(["share", "open", url]);
		expect(again.code).not.toBe(0);
		expect(again.err).toContain(name);
		rmSync(join(tau.project, name));
	},
	180_000,
);

test("embedded in another page it is the conversation alone, and print has all of it", async () => {
	const page = await chromium.open(url.replace("#", "?embed#"));
	await untilText(page, "The cart has a total now.");
	expect(await page.evaluate('!!document.querySelector(".outline")')).toBe(false);
	await page.emulateMediaType("print");
	expect(await textOf(page, ".reading")).toContain("I write the file.");
	expect(await page.evaluate('getComputedStyle(document.querySelector(".diff-tools button")).display')).toBe(
		"none",
	);
	const response = await fetch((url.split("#")[0] ?? "") + "?embed");
	expect(response.headers.get("content-security-policy")).toContain("frame-ancestors *");
	expect(response.headers.get("referrer-policy")).toBe("no-referrer");
});

test("a wrong key is a clear message, not an empty page", async () => {
	const page = await chromium.open(url.replace(/#.*/, `#${"A".repeat(43)}`));
	await untilText(page, "the key is wrong");
});

plainTest(
	"somebody else continues it as a session of their own",
	async () => {
		if (url === "")
			[, url = ""] = /Share URL: (\S+)/.exec((await tau.run(["share", "--yes"], { env })).out) ?? [];
		await using other = await launch({ steps: [{ answer: "It is 42." }] });
		const imported = await other.run(["sessions", "import", url, "--mode", "json"]);
		expect(imported).toMatchObject({ code: 0, err: "" });
		const { session } = JSON.parse(imported.out) as { session: string };
		const { out } = await other.run(["--session", session, "-p", "What is the total?"]);
		expect(out).toBe("It is 42.\n");
		expect(other.played.requests.at(-1)?.rawBody).toContain("The **cart** has a total now.");
		const torn = await other.run(["sessions", "import", `${url.slice(0, -3)}AAA`]);
		expect(torn.code).toBe(1);
		expect(torn.err).toContain("the key is wrong");
	},
	180_000,
);

plainTest(
	"shares are listed without their tokens on the screen, kept private, and deleted for everybody",
	async () => {
		const ledger = join(tau.agentDir, "shares.json");
		expect(statSync(ledger).mode & 0o777).toBe(0o600);
		const { deleteToken } =
			(JSON.parse(readFileSync(ledger, "utf8")) as { shares: { deleteToken: string }[] }).shares[0] ?? {};
		const list = await tau.run(["share", "list"]);
		expect(list.out).toContain(url);
		expect(list.out).not.toContain(deleteToken ?? "?");
		const [id = ""] = list.out.split(/\s/);
		expect(await tau.run(["share", "rm", id])).toMatchObject({ code: 0, err: "" });
		expect((await fetch(`${url.split("#")[0]}/raw`)).status).toBe(404);
		expect((await tau.run(["share", "list"])).out).toContain("You have shared nothing");
	},
	180_000,
);

test("an export is the same page in one file: it needs no network, in light and dark", async () => {
	const { code, out } = await tau.run(["sessions", "list", "--mode", "json"]);
	expect(code).toBe(0);
	const { id } = JSON.parse(out.split("\n")[0] ?? "") as { id: string };
	await tau.run(["sessions", "export", id, "talk.html"], { env });
	const file = join(tau.project, "talk.html");
	const html = readFileSync(file, "utf8");
	expect({ hasToken: html.includes(token), isAlone: html.includes("connect-src 'none'") }).toEqual({
		hasToken: false,
		isAlone: true,
	});
	for (const theme of ["light", "dark"] as const) {
		const page = await chromium.open(`file://${file}`, { width: 360, height: 740, theme });
		await untilText(page, "The cart has a total now.");
		expect(await page.title()).not.toBe("owned");
		expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
	}
	expect(chromium.errors).toEqual([]);
});

test("an export has the agents with what they said, and the other branches; a share has the agents", async () => {
	const task = { name: "Finder", agent: "explore", assignment: "find it" };
	await using other = await launch({
		steps: [
			{ when: { bodyContains: "find it" }, answer: "The cart is in shop.ts." },
			{ answer: { blocks: [{ toolCall: { name: "task", arguments: { tasks: [task] } } }] } },
		],
		fallback: { answer: "It is in shop.ts." },
	});
	await other.run(["-p", "where is the cart?", "--auto-approve"]);
	const [line = ""] = (await other.run(["sessions", "list", "--mode", "json"])).out.split("\n");
	const { id, path } = JSON.parse(line) as { id: string; path: string };
	// The user had asked something else first, and came back.
	const entries = readFileSync(path, "utf8")
		.trim()
		.split("\n")
		.map((each): Record<string, unknown> => JSON.parse(each));
	const first = entries.find(({ message }) => (message as { role?: string } | undefined)?.role === "user");
	const at = new Date().toISOString();
	const asked = {
		role: "user",
		content: [{ type: "text", text: "what was the price?" }],
		timestamp: Date.now(),
	};
	const branch = {
		type: "message",
		id: "0ther000",
		parentId: first?.parentId ?? null,
		timestamp: at,
		message: asked,
	};
	const position = entries.indexOf(first ?? {});
	entries.splice(position, 0, branch);
	writeFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
	expect((await other.run(["sessions", "export", id, "all.html"])).code).toBe(0);
	const page = await chromium.open(`file://${join(other.project, "all.html")}`, { width: 1440, height: 900 });
	await untilText(page, "It is in shop.ts.");
	await page.click(".viewer-agents .chip");
	await untilText(page, "The cart is in shop.ts.", ".viewer-side");
	await until(page, '!!document.querySelector(".outline-row.off-branch")');
	await page.evaluate('document.querySelector(".outline-row.off-branch").click()');
	await untilText(page, "what was the price?", ".viewer-main");
	await until(page, '!document.querySelector(".viewer-main").innerText.includes("It is in shop.ts.")');

	// A share has the current branch alone, and its agents, over the relay.
	writeFileSync(join(other.agentDir, "config.yml"), `share:\n  serverUrl: ${relay.url}\n`);
	const preview = await other.run(["share", id, "--dry-run"]);
	expect(preview.out).toMatch(/entries of the current branch and 1 agent,/);
	const sent = await other.run(["share", id, "--yes"]);
	const [, link = ""] = /Share URL: (\S+)/.exec(sent.out) ?? [];
	const shared = await chromium.open(link, { width: 1440, height: 900 });
	await untilText(shared, "It is in shop.ts.");
	expect(await shared.evaluate('!!document.querySelector(".outline-row.off-branch")')).toBe(false);
	await shared.click(".viewer-agents .chip");
	await untilText(shared, "The cart is in shop.ts.", ".viewer-side");
	await using stranger = await launch({ steps: [{ answer: "In shop.ts." }] });
	const imported = await stranger.run(["sessions", "import", link, "--mode", "json"]);
	expect(imported).toMatchObject({ code: 0, err: "" });
	const { session } = JSON.parse(imported.out) as { session: string };
	expect((await stranger.run(["--session", session, "-p", "Where?"])).out).toBe("In shop.ts.\n");
	expect(chromium.errors).toEqual([]);
}, 240_000);

plainTest(
	"without a relay it says what to set, and a share as a file stays on this machine",
	async () => {
		writeFileSync(join(tau.agentDir, "config.yml"), "");
		expect((await tau.run(["share", "--yes"], { env })).err).toContain("Set share.serverUrl");
		writeFileSync(join(tau.agentDir, "config.yml"), "share:\n  store: file\n");
		const { code, out } = await tau.run(["share", "--yes"], { env });
		expect(code).toBe(0);
		const [, name = ""] = /(share-\S+\.html)/.exec(out) ?? [];
		expect(existsSync(join(tau.project, name))).toBe(true);
		expect(readFileSync(join(tau.project, name), "utf8").includes(token)).toBe(false);
	},
	180_000,
);
