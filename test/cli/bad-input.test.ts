/** A user's mistake is answered with one clear line, the right exit code and no stack trace. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch, root, withoutRetries } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

const wrong: [string, string[], RegExp][] = [
	["an unknown flag", ["--modle", "x"], /Unknown flag --modle\. Did you mean --model/],
	["a flag without its value", ["-p", "hi", "--model"], /--model needs a value/],
	[
		"a value that is not allowed",
		["-p", "hi", "--mode", "xml"],
		/--mode cannot be "xml"\. Choose one of: text, json/,
	],
	["an unknown command", ["hlep"], /Unknown command "hlep"\. Did you mean help\?/],
	["a missing theme", ["-p", "hi", "--theme", "/nosuch"], /--theme: \/nosuch does not exist/],
	["a missing @file", ["-p", "@nowhere.txt", "hi"], /@nowhere\.txt: file not found/],
	[
		"an unknown model",
		["-p", "hi", "--model", "played/playd-1"],
		/Unknown model "played\/playd-1"\. Did you mean played\/played-1/,
	],
	[
		"a version of a model that its provider does not have",
		["-p", "hi", "--model", "played/played"],
		/Unknown model "played\/played"\. Did you mean played\/played-1/,
	],
	[
		"a model of a role that does not exist",
		["-p", "hi", ...model, "--slow", "nosuch"],
		/--slow: Unknown model "nosuch"/,
	],
	[
		"a pattern of --models that fits nothing",
		["-p", "hi", ...model, "--models", "played/*,nosuch"],
		/--models: Unknown model "nosuch"/,
	],
	[
		"a model without a key",
		["-p", "hi", "--model", "anthropic/claude-sonnet-4-5"],
		/No key for anthropic\/.*Set ANTHROPIC_API_KEY/,
	],
	["an unknown tool", ["-p", "hi", "--tools", "raed"], /There is no tool "raed"\. Did you mean read\?/],
	["a command with unknown arguments", ["help", "me", "please"], /tau help does not take these/],
	["an unknown action of a command", ["auth", "x"], /Unknown command: tau auth x\. Choose one of: status/],
	["help for an unknown command", ["help", "x"], /Unknown command "x"\. See tau --help/],
	["an unknown package to remove", ["remove", "x"], /Package x not found\. No packages are installed/],
	["to uninstall", ["uninstall", "x"], /Package x not found/],
	["to update", ["update", "x"], /Package x not found/],
	[
		"a command that has another name",
		["gateway", "the", "changes"],
		/tau gateway is called tau auth-gateway/,
	],
	["omp's name for tau alone", ["launch", "hello"], /tau launch is omp's name for tau alone/],
	["a command of a session", ["collab"], /tau collab is \/collab in a session/],
	["no prompt at all", [], /No prompt given/],
];

test.each(wrong)("%s is explained in one line, with exit code 2", async (_, args, message) => {
	await using tau = await launch({ steps: [] });
	const { code, out, err } = await tau.run(args);
	expect({ code, out }).toEqual({ code: 2, out: "" });
	expect(err).toMatch(message);
	expect(err).toMatch(/^tau: [^\n]*\n$/);
	expect(tau.played.requests).toEqual([]);
});

test("a broken provider in models.yml is named with line and field, and the others keep working", async () => {
	await using tau = await launch({ steps: ["works"] });
	const file = join(tau.agentDir, "models.yml");
	const good = await Bun.file(file).text();
	writeFileSync(
		file,
		`${good}  broken:\n    baseUrl: not a url\n    api: anthropic-messages\n    auth: none\n    models:\n      - id: x\n`,
	);
	const { code, out, err } = await tau.run(["-p", "hi", ...model]);
	expect({ code, out }).toEqual({ code: 0, out: "works\n" });
	const line = good.split("\n").length + 1;
	expect(err).toContain(`${file}:${line} providers.broken.baseUrl: `);
});

test("an extension learns what is wrong with models.yml", async () => {
	await using tau = await launch({ steps: ["ok"] });
	const file = join(tau.agentDir, "models.yml");
	const own = await Bun.file(file).text();
	writeFileSync(file, `${own}\n  broken:\n    baseUrl: http://127.0.0.1:1\n    models: [{ id: x }]\n`);
	writeFileSync(
		join(tau.project, "ask.ts"),
		'export default (pi) => pi.on("session_start", (_, ctx) => console.error("error: " + ctx.modelRegistry.getError()));',
	);
	const { err } = await tau.run(["-p", "hi", ...model, "-e", "./ask.ts"]);
	expect(err).toMatch(/error: \S+models\.yml:\d+ providers\.broken/);
});

test("a models.yml that is not YAML is named with its line, and the demo answers", async () => {
	await using tau = await launch({ steps: [] });
	writeFileSync(join(tau.agentDir, "models.yml"), "providers:\n  a: [1, 2\n  b: }\n");
	const { code, out, err } = await tau.run(["-p", "hi"]);
	expect(code).toBe(0);
	expect(err).toMatch(/^tau: .*models\.yml:\d+: .+\n$/);
	expect(out).toContain("demo");
});

test("a server that does not exist is one clear line and exit code 1", async () => {
	await using tau = await launch({ steps: [] });
	withoutRetries(tau);
	await tau.played.close();
	const { code, out, err } = await tau.run(["-p", "hi", ...model]);
	expect({ code, out }).toEqual({ code: 1, out: "" });
	expect(err).toMatch(/^tau: played\/played-1: Connection refused by 127\.0\.0\.1:\d+.*\n$/);
});

test("a broken answer keeps its text and fails", async () => {
	const answer = { blocks: [{ text: "half of the answer", chunks: 6 }] };
	await using tau = await launch({ steps: [{ answer, fault: { truncated: true } }] });
	withoutRetries(tau);
	const { code, out, err } = await tau.run(["-p", "hi", ...model]);
	expect(code).toBe(1);
	expect(out).toBe("half of the answer\n");
	expect(err).toMatch(/^tau: .*before the answer was complete\n$/);
});

test("a rate limit says when to try again", async () => {
	await using tau = await launch({ steps: [{ fault: { http: 429, retryAfter: 7 } }] });
	withoutRetries(tau);
	const { code, err } = await tau.run(["-p", "hi", ...model]);
	expect(code).toBe(1);
	expect(err).toContain("(try again in 7 s)");
});

test("a project cannot configure the runtime: its .env and bunfig.toml run nothing and redirect nothing", async () => {
	await using tau = await launch({ steps: ["safe"] });
	mkdirSync(join(tau.project, "elsewhere"));
	writeFileSync(join(tau.project, "bunfig.toml"), 'preload = ["./evil.ts"]\n');
	writeFileSync(
		join(tau.project, "evil.ts"),
		'import { writeFileSync } from "node:fs"; writeFileSync("pwned", "");',
	);
	writeFileSync(join(tau.project, ".env"), "TAU_CODING_AGENT_DIR=./elsewhere\nPATH=/nowhere\n");
	const { code, out } = await tau.run(["-p", "hi", ...model]);
	expect({ code, out }).toEqual({ code: 0, out: "safe\n" });
	expect(await Bun.file(join(tau.project, "pwned")).exists()).toBe(false);
});

test("a read-only session directory causes a warning, and the prompt is answered", async () => {
	await using tau = await launch({ steps: ["said"] });
	writeFileSync(join(tau.agentDir, "sessions"), "a file in the way");
	const { code, out, err } = await tau.run(["-p", "hi", ...model]);
	expect({ code, out }).toEqual({ code: 0, out: "said\n" });
	expect(err).toMatch(/^tau: The session is not being saved: .+\n$/);
});

test("a full disk behind the output is a failure, not a lost answer", async () => {
	await using tau = await launch({ steps: ["much to say"] });
	const child = Bun.spawn(["bash", "-c", `"$0" -p hi ${model.join(" ")} > /dev/full`, join(root, "tau")], {
		cwd: tau.project,
		env: { PATH: process.env.PATH ?? "", HOME: tau.home },
		stdin: "ignore",
		stdout: "ignore",
		stderr: "pipe",
	});
	expect(await child.stderr.text()).toMatch(/^tau: cannot write the answer: .*ENOSPC.*\n$/);
	expect(await child.exited).toBe(1);
});

test("a session whose model is gone says which one is used instead", async () => {
	await using tau = await launch({ steps: ["One.", "Two."] });
	await tau.run(["-p", "hi", ...model]);
	const file = join(tau.agentDir, "models.yml");
	writeFileSync(file, (await Bun.file(file).text()).replaceAll("played-1", "played-9"));
	const { code, out, err } = await tau.run(["-p", "-c", "go on"]);
	expect({ code, out }).toEqual({ code: 0, out: "Two.\n" });
	expect(err).toContain(
		"This session used played/played-1, which is not available. It continues with played/played-9.",
	);
});
