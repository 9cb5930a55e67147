/** The first minutes: no key, a project with its own code. There is no dead end, and nothing runs without consent. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, playOAuth, type PlayedModel } from "@tau/ai/testing";

import { fakeBrowser } from "../support/browser.ts";
import { launch, type Launched } from "../support/launch.ts";
import { openTau, type OpenOptions, type OpenTau } from "./driver.ts";

const question = "How would you like to connect one?";

/** A server that is unusable until a condition is true. */
function serveWhen(holds: () => boolean, { url }: PlayedModel): Disposable & { url: string } {
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: async (request) => {
			if (!holds()) return new Response("not yet", { status: 503 });
			const { pathname } = new URL(request.url);
			const body = request.method === "POST" ? { body: await request.text() } : {};
			return fetch(url + pathname, { method: request.method, headers: request.headers, ...body });
		},
	});
	return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}

describe("without a key", () => {
	/** Nothing is configured: no key, no custom model. */
	async function openFresh(options: OpenOptions = {}): Promise<OpenTau> {
		const home = options.home ?? (await launch({ steps: [] }));
		rmSync(join(home.agentDir, "models.yml"), { force: true });
		return openTau({ steps: [] }, { anyModel: true, ...options, home });
	}

	test("the ways to connect a model are shown, and Escape starts the demo, which answers", async () => {
		await using home = await launch({ steps: [] });
		await using tau = await openFresh({ home });
		await tau.until(question);
		for (const way of ["Log in", "Enter an API key", "Look for a local server", "Try the demo"])
			expect(tau.screen()).toContain(way);
		tau.press("escape");
		await tau.until("Run /login to connect a real model");
		expect(tau.screen()).not.toContain(question);
		tau.type("hello\r");
		await tau.until("Try ");
	});

	test.each(["hello there", "\x1b[200~hello there\x1b[201~"])(
		"typing %j at once starts the demo",
		async (written) => {
			await using home = await launch({ steps: [] });
			await using tau = await openFresh({ home });
			await tau.until(question);
			tau.type(written);
			await tau.until("hello there");
			expect(tau.screen()).not.toContain(question);
			tau.press("enter");
			await tau.until("Try ");
		},
	);

	test("keys of another program are offered after the question, and taken into a home without any of Tau's files", async () => {
		await using home = await launch({ steps: [] });
		rmSync(join(home.agentDir, "models.yml"));
		rmdirSync(home.agentDir);
		mkdirSync(join(home.home, ".codex"));
		writeFileSync(join(home.home, ".codex/config.toml"), "");
		await using tau = await openFresh({ home });
		await tau.until(question);
		expect(tau.screen()).not.toContain("You use codex");
		tau.press("escape");
		await tau.until("You use codex");
		tau.type("\x1bi");
		await tau.until("The keys are those of codex");
	});

	test("a prompt on the command line is answered at once, without a question", async () => {
		await using home = await launch({ steps: [] });
		await using tau = await openFresh({ home, args: ["hello"] });
		await tau.until("Try ");
		expect(tau.scrollback()).toContain("Run /login to connect a real model");
		expect(tau.scrollback()).not.toContain(question);
	});

	test("the demo that was requested by name asks nothing", async () => {
		await using home = await launch({ steps: [] });
		await using tau = await openFresh({ home, args: ["--model", "tau/demo"] });
		await tau.until("tau/demo");
		tau.type("hello\r");
		await tau.until("Try ");
		expect(tau.scrollback()).not.toContain(question);
	});

	test("a key is pasted without being shown, and its provider's model is used from then on", async () => {
		await using home = await launch({ steps: [] });
		await using tau = await openFresh({ home, env: { TAU_OFFLINE: "1" } });
		await tau.until("❯ Log in");
		tau.press("down");
		await tau.until("❯ Enter an API key");
		tau.press("enter");
		await tau.until("Log in or add an API key");
		tau.type("groq");
		await tau.until("❯ Groq: API key");
		tau.press("enter");
		await tau.until("API key (hidden)");
		tau.type("gsk_verysecret");
		await tau.until("••••");
		tau.press("enter");
		await tau.until("Saved the Groq API key to");
		await tau.untilGone("tau/demo");
		// The choice is the user's, and the list shows what the provider has.
		await tau.until(/── Model ─[^]*groq is available/);
		tau.press("escape");
		await tau.untilGone("── Model ─");
		expect(tau.bytes).not.toContain("verysecret");
		await using again = await openFresh({ home });
		await again.until("τ tau");
		await again.until("groq/");
		expect(again.screen()).not.toContain(question);
	});

	test("a login ends with a model of the subscription", async () => {
		await using home = await launch({ steps: [] });
		await using server = playOAuth("anthropic");
		await using tau = await openFresh({ home, env: { ...server.env, ...fakeBrowser(home) } });
		await tau.until("❯ Log in");
		tau.press("enter");
		await tau.until("❯ Anthropic");
		tau.press("enter");
		await tau.until("Logged in to Anthropic");
		await tau.until(/── Model ─[^]*anthropic is available/);
		tau.press("escape");
		await tau.untilGone("── Model ─");
		await tau.until("claude");
		expect(tau.screen()).not.toContain(question);
	});

	test("cancelling a login returns to the list", async () => {
		await using home = await launch({ steps: [] });
		await using server = playOAuth("anthropic");
		await using tau = await openFresh({ home, env: { ...server.env, TAU_NO_BROWSER: "1" } });
		await tau.until("❯ Log in");
		tau.press("enter");
		await tau.until("Log in or add an API key");
		expect(tau.screen()).not.toContain(": key");
		tau.press("escape");
		await tau.until(question);
		tau.press("enter");
		await tau.until("❯ Anthropic");
		tau.press("enter");
		await tau.until("To log in to Anthropic");
		tau.press("escape");
		await tau.until(question);
	});

	test("a server that was started meanwhile is found, and a missing one is no dead end", async () => {
		await using home = await launch({ steps: [] });
		await using played = await playModel({ steps: ["From my own machine."] });
		let isUp = false;
		using server = serveWhen(() => isUp, played);
		await using tau = await openFresh({ home, env: { OLLAMA_BASE_URL: server.url } });
		await tau.until("❯ Log in");
		tau.press("down", "down");
		await tau.until("❯ Look for a local server");
		tau.press("enter");
		await tau.until("No local model server found");
		// The attempt is reported, and the selection stays.
		await tau.until(server.url.replace(/\/$/, ""));
		isUp = true;
		await tau.until("❯ Look for a local server");
		tau.press("enter");
		await tau.until("Use Ollama");
		tau.press("down", "down", "enter");
		await tau.until("ollama/");
		tau.type("are you there\r");
		await tau.until("From my own machine.");
	});

	test("/login shows the options again while the demo is used", async () => {
		await using home = await launch({ steps: [] });
		await using tau = await openFresh({ home });
		await tau.until(question);
		tau.press("escape");
		await tau.untilGone(question);
		tau.type("/login\r");
		await tau.until(question);
		tau.press("down", "down", "down");
		await tau.until("❯ Try the demo");
		tau.press("enter");
		await tau.untilGone(question);
	});
});

describe("a project with its own code", () => {
	const asks = "Trust this project's code?";

	function withExtension({ project }: Launched): void {
		mkdirSync(join(project, ".tau/extensions"), { recursive: true });
		writeFileSync(
			join(project, ".tau/extensions/loud.ts"),
			`export default (pi) => { pi.on("session_start", (_event, ctx) => ctx.ui.notify("the extension runs")); };`,
		);
	}

	const trusted = ({ agentDir }: Launched): unknown =>
		existsSync(join(agentDir, "trust.json"))
			? JSON.parse(readFileSync(join(agentDir, "trust.json"), "utf8"))
			: undefined;

	test("is loaded at once after a yes, which is stored", async () => {
		await using home = await launch({ steps: ["Here."] });
		withExtension(home);
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until(asks);
		expect(tau.screen()).toContain(".tau/extensions/loud.ts");
		await tau.until("❯ Not now");
		tau.press("down");
		await tau.until("❯ Yes");
		expect(tau.screen()).not.toContain("the extension runs");
		tau.press("enter");
		await tau.until("the extension runs");
		expect(trusted(home)).toMatchObject({ projects: { [home.project]: true } });
		tau.type("hello\r");
		await tau.until("Here.");
		await using again = await openTau({ steps: [] }, { home });
		await again.until("the extension runs");
		expect(again.scrollback()).not.toContain(asks);
	});

	test("code that has changed since the yes is asked about again, with the changes", async () => {
		await using home = await launch({ steps: [] });
		withExtension(home);
		const file = join(home.project, ".tau/extensions/loud.ts");
		{
			await using tau = await openTau({ steps: [] }, { home });
			await tau.until("❯ Not now");
			tau.press("down");
			await tau.until("❯ Yes");
			tau.press("enter");
			await tau.until("the extension runs");
		}
		writeFileSync(file, readFileSync(file, "utf8").replace("the extension runs", "other code runs"));
		writeFileSync(join(home.project, ".tau/extensions/more.ts"), "export default () => {};");
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("has changed since you trusted it");
		expect(tau.screen()).toContain(".tau/extensions/loud.ts (changed)");
		expect(tau.screen()).toContain(".tau/extensions/more.ts (new)");
		await tau.until("❯ Not now");
		tau.press("down");
		await tau.until("❯ Yes");
		tau.press("enter");
		await tau.until("other code runs");
	});

	test("code that changes while the question is open does not run after a yes", async () => {
		await using home = await launch({ steps: [] });
		withExtension(home);
		const file = join(home.project, ".tau/extensions/loud.ts");
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("❯ Not now");
		writeFileSync(file, readFileSync(file, "utf8").replace("the extension runs", "other code runs"));
		tau.press("down");
		await tau.until("❯ Yes");
		tau.press("enter");
		await tau.until("changed while you were asked");
		expect(tau.scrollback()).not.toContain("other code runs");
		expect(trusted(home)).toBeUndefined();
	});

	test("a no is stored: nothing of it runs, and it is not mentioned again", async () => {
		await using home = await launch({ steps: ["Here.", "Here again."] });
		withExtension(home);
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("❯ Not now");
		tau.press("down", "down");
		await tau.until("❯ No ");
		tau.press("enter");
		await tau.untilGone(asks);
		tau.type("hello\r");
		await tau.until("Here.");
		expect(trusted(home)).toEqual({ projects: { [home.project]: false } });
		await using again = await openTau({ steps: [] }, { home });
		await again.until("played-1");
		again.type("hello\r");
		await again.until("Here again.");
		for (const words of [asks, "did not run", "the extension runs"])
			expect(again.scrollback()).not.toContain(words);
		expect(tau.scrollback()).not.toContain("the extension runs");
	});

	test.each(["escape", "enter"] as const)("%s postpones it, and the question comes again", async (key) => {
		await using home = await launch({ steps: [] });
		withExtension(home);
		for (const _ of ["the first time", "the second time"]) {
			await using tau = await openTau({ steps: [] }, { home });
			await tau.until("❯ Not now");
			tau.press(key);
			await tau.until("did not run");
		}
		expect(trusted(home)).toBeUndefined();
	});

	test("typing continues without it, and no key is lost", async () => {
		await using home = await launch({ steps: ["Here."] });
		withExtension(home);
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until(asks);
		tau.type("yes, hello\r");
		await tau.until("Here.");
		expect(JSON.stringify(home.played.requests.at(-1))).toContain("yes, hello");
		expect(tau.scrollback()).not.toContain("the extension runs");
		expect(trusted(home)).toBeUndefined();
	});

	test("an answer that cannot be saved applies to this run, and the user is informed", async () => {
		await using home = await launch({ steps: [] });
		withExtension(home);
		mkdirSync(join(home.agentDir, "trust.json"));
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("❯ Not now");
		tau.press("down");
		await tau.until("❯ Yes");
		tau.press("enter");
		await tau.until("the extension runs");
		expect(tau.scrollback()).toContain("applies to this run only");
	});

	test("--trust is a yes for one run, without a question", async () => {
		await using home = await launch({ steps: [] });
		withExtension(home);
		await using tau = await openTau({ steps: [] }, { home, args: ["--trust"] });
		await tau.until("the extension runs");
		expect(tau.scrollback()).not.toContain(asks);
		expect(trusted(home)).toBeUndefined();
	});

	test("Ctrl+D exits while the question is open", async () => {
		await using home = await launch({ steps: [] });
		withExtension(home);
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until(asks);
		tau.press("ctrlD");
		expect(await tau.exited).toBe(0);
	});
});
