/** `tau login` with a browser, a real terminal and a played vendor: it ends with a login or with a reason. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { browse, playOAuth } from "@tau/ai/testing";
import { describe, expect, test } from "bun:test";

import { fakeBrowser } from "../support/browser.ts";
import { launch, type Running } from "../support/launch.ts";
import { atTerminal } from "./terminal.ts";

const nothing = { steps: [] };

async function shownAddress(running: Running): Promise<string> {
	await running.until(({ out }) => /^ {2}(http\S+)$/m.test(out));
	return /^ {2}(http\S+)$/m.exec(running.output().out)?.[1] ?? "";
}

/** Every file that Tau left behind, but for the store itself. */
function leftBehind(directory: string): string {
	const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile() && !entry.name.startsWith("agent.db"))
		.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
		.join("\n");
}

describe("in a browser", () => {
	test("the user confirms, and Tau shows the account", async () => {
		await using tau = await launch(nothing);
		await using server = playOAuth("anthropic");
		const { code, out, err } = await tau.run(["login", "anthropic"], {
			env: { ...server.env, ...fakeBrowser(tau) },
		});
		expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(out).toContain("Logged in to Anthropic (Claude Pro/Max) as ada@example.com.");
		expect(statSync(join(tau.agentDir, "agent.db")).mode & 0o777).toBe(0o600);
		const status = await tau.run(["auth", "status", "--mode", "json"]);
		expect(JSON.parse(status.out)).toMatchObject({
			provider: "anthropic",
			kind: "login",
			account: "ada@example.com",
			state: "ready",
			from: "stored",
		});
		const token = server.requests.find(({ method }) => method === "POST");
		const said = out + status.out + leftBehind(tau.home);
		for (const secret of [
			token?.parameters.code ?? "?",
			token?.parameters.code_verifier ?? "?",
			"access-",
			"refresh-",
		]) {
			expect(said).not.toContain(secret);
		}
	});

	test("if none can be opened, the URL is shown and Tau waits", async () => {
		await using tau = await launch(nothing);
		await using server = playOAuth("anthropic");
		const running = tau.start(["login", "anthropic"], {
			env: { ...server.env, ...fakeBrowser(tau), TAU_NO_BROWSER: "1" },
		});
		const page = await browse(await shownAddress(running));
		expect(await page.text()).toContain("You can close this page");
		expect((await running.finished).code).toBe(0);
	});

	test("an answer with a wrong state is rejected", async () => {
		await using tau = await launch(nothing);
		await using server = playOAuth("anthropic");
		const running = tau.start(["login", "anthropic"], { env: server.env });
		const address = await shownAddress(running);
		const forged = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
		forged.search = "?code=stolen&state=wrong";
		expect((await fetch(forged)).status).toBe(400);
		await browse(address);
		const { code } = await running.finished;
		expect({ code, codes: server.requests.map(({ parameters }) => parameters.code) }).toEqual({
			code: 0,
			codes: ["true", expect.not.stringContaining("stolen")],
		});
	});

	test("a user who denies gets the reason, with exit code 1", async () => {
		await using tau = await launch(nothing);
		await using server = playOAuth("anthropic", { user: "denies" });
		const { code, err } = await tau.run(["login", "anthropic"], {
			env: { ...server.env, ...fakeBrowser(tau) },
		});
		expect({ code, err }).toEqual({ code: 1, err: "tau: Anthropic (Claude Pro/Max): access_denied\n" });
		expect((await tau.run(["auth", "status"])).out).toContain("No keys or logins");
	});

	test("Ctrl+C ends the wait with exit code 130", async () => {
		await using tau = await launch(nothing);
		await using server = playOAuth("anthropic");
		const running = tau.start(["login", "anthropic"], { env: server.env });
		const redirect = new URL(await shownAddress(running)).searchParams.get("redirect_uri") ?? "";
		running.process.kill("SIGINT");
		expect(await running.finished).toMatchObject({ code: 130, err: "" });
		expect(await fetch(redirect).catch(() => "gone")).toBe("gone");
	});
});

describe("with a code", () => {
	test("that is entered elsewhere", async () => {
		await using tau = await launch(nothing);
		await using server = playOAuth("github-copilot", {
			device: ["pending", "granted"],
			interval: 0.02,
			account: "ada",
		});
		const { code, out } = await tau.run(["login", "github-copilot"], { env: server.env });
		expect(code).toBe(0);
		expect(out).toContain(`${server.url}/device`);
		expect(out).toContain("enter the code ABCD-1234");
		expect(out).toContain("Logged in to GitHub Copilot as ada.");
	});

	test("that has expired", async () => {
		await using tau = await launch(nothing);
		await using server = playOAuth("kimi-code", { device: ["pending", "expired"], interval: 0.02 });
		const { code, err } = await tau.run(["login", "kimi-code"], { env: server.env });
		expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^tau: .*expired_token\n$/) });
	});

	test("of a server that is down", async () => {
		await using tau = await launch(nothing);
		const server = playOAuth("kimi-code");
		await server[Symbol.asyncDispose]();
		const { code, err } = await tau.run(["login", "kimi-code"], { env: server.env });
		expect({ code, err }).toEqual({
			code: 1,
			err: expect.stringMatching(/^tau: Cannot reach 127\.0\.0\.1:\d+: [^\n]+\n$/),
		});
	});
});

describe("at a terminal", () => {
	test("the user picks a number, and pastes the URL of the browser", async () => {
		await using tau = await launch(nothing);
		await using server = playOAuth("anthropic");
		const terminal = atTerminal(tau, ["login"], server.env);
		const [, number = ""] = await terminal.until(/(\d+) {2}anthropic/);
		await terminal.until(/Number or provider: /);
		terminal.type("99\r");
		await terminal.until(/Enter a number from 1 to \d+/);
		terminal.type(`${number}\r`);
		const [, address = ""] = await terminal.until(/^ {2}(http\S+)/m);
		terminal.type("what do I do now?\r");
		await terminal.until(/neither a redirect URL/);
		const answer = await fetch(address, { redirect: "manual" });
		terminal.type(`${answer.headers.get("location")}\r`);
		await terminal.until(/Logged in to Anthropic/);
		expect(await terminal.exited).toBe(0);
	});

	test("a key is entered without being shown", async () => {
		await using tau = await launch(nothing);
		const terminal = atTerminal(tau, ["login", "groq", "--api-key"]);
		await terminal.until(/\(hidden\): /);
		terminal.type("gsk_typeX\u007fd_key\r");
		await terminal.until(/Saved the \S+ API key/);
		expect(await terminal.exited).toBe(0);
		expect(terminal.screen()).not.toContain("gsk_");
		expect((await tau.run(["auth", "status"])).out).toMatch(/^groq +key .* ready +stored$/m);
	});

	test("Ctrl+C at the key prompt ends it with exit code 130", async () => {
		await using tau = await launch(nothing);
		const terminal = atTerminal(tau, ["login", "groq"]);
		await terminal.until(/\(hidden\): /);
		terminal.type("half a key\u0003");
		expect(await terminal.exited).toBe(130);
		expect(readdirSync(tau.agentDir)).toEqual(["models.yml"]);
	});
});

describe("from a script", () => {
	const wrong: [string, string[], string, RegExp][] = [
		["no provider", ["login"], "", /Usage: tau login <provider>\. Providers with a login: anthropic, /],
		[
			"an unknown provider",
			["login", "antropic"],
			"",
			/Unknown provider "antropic"\. Did you mean anthropic/,
		],
		["no key", ["login", "groq"], "", /No API key given for Groq/],
		["more than a key", ["login", "groq", "--api-key"], "two words\n", /Not an API key/],
		[
			"a key on the command line",
			["login", "groq", "--api-key", "gsk_key"],
			"",
			/Usage: tau login \[provider\] \[--api-key\]/,
		],
		["a flag without an effect here", ["logout", "--model", "x"], "", /tau logout does not take --model/],
		["an unknown provider to forget", ["logout", "grok-"], "", /Unknown provider "grok-"/],
	];
	test.each(wrong)("%s is explained in one line, with exit code 2", async (_, args, stdin, message) => {
		await using tau = await launch(nothing);
		const { code, out, err } = await tau.run(args, { stdin });
		expect({ code, out }).toEqual({ code: 2, out: "" });
		expect(err).toMatch(message);
		expect(err).toMatch(/^tau: [^\n]*\n$/);
		expect(err).not.toContain("gsk_key");
	});

	test("a key is read from a pipe, and removed from the file by a logout", async () => {
		await using tau = await launch(nothing);
		const finished = await tau.run(["login", "groq", "--api-key"], { stdin: "gsk_piped_key\n" });
		expect(finished).toEqual({ code: 0, out: "Saved the Groq API key to ~/.tau/agent/agent.db.\n", err: "" });
		const file = join(tau.agentDir, "agent.db");
		expect(readFileSync(file, "latin1")).toContain("gsk_piped_key");
		const unnamed = await tau.run(["logout"]);
		expect([unnamed.code, unnamed.err]).toEqual([2, "tau: Usage: tau logout <provider>. Stored: groq\n"]);
		expect(readFileSync(file, "latin1")).toContain("gsk_piped_key");
		expect(await tau.run(["logout", "groq"])).toEqual({
			code: 0,
			out: "Removed 1 credential for Groq.\n",
			err: "",
		});
		expect(readFileSync(file, "latin1")).not.toContain("gsk_piped_key");
		expect((await tau.run(["logout"])).out).toBe("Nothing is stored.\n");
	});
});
