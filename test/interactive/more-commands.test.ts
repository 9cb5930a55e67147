/** Commands that a daily user types: status, init, copy, clone, import, add-dir, scoped-models, hooks, feedback. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { writeTestFile } from "../support/files.ts";
import { launch } from "../support/launch.ts";
import { openTau, type OpenTau } from "./driver.ts";

const messages = (tau: OpenTau, at: number): string =>
	JSON.stringify(Object(tau.home.played.requests[at]?.body).messages);
const system = (tau: OpenTau, at: number): string =>
	JSON.stringify(Object(tau.home.played.requests[at]?.body).system);
/** The clipboard content that was set through the terminal. */
const copied = (tau: OpenTau): string => {
	const [, data = ""] = [...tau.bytes.matchAll(/\x1b\]52;c;([A-Za-z0-9+/=]*)/g)].at(-1) ?? [];
	return Buffer.from(data, "base64").toString();
};

test("/init sends the built-in prompt, and shows only the command", async () => {
	await using tau = await openTau({ steps: ["Written."] });
	await tau.until("played-1");
	tau.type("/init mind the tests\r");
	await tau.until("Written.");
	expect(messages(tau, 0)).toContain("Write AGENTS.md in the root of this project");
	expect(messages(tau, 0)).toContain("mind the tests");
	expect(tau.scrollback()).toContain("/init mind the tests");
	expect(tau.scrollback()).not.toContain("Look first");
});

test("/status, /add-dir and /hooks show what is in use, and the model learns of an added directory", async () => {
	await using tau = await openTau({ steps: ["Seen."] });
	const { home, agentDir, project } = tau.home;
	const other = join(home, "other");
	mkdirSync(other);
	writeFileSync(join(other, "note.txt"), "from the other directory");
	const hook = { hooks: [{ type: "command", command: "true # audit" }] };
	writeFileSync(join(agentDir, "hooks.json"), JSON.stringify({ hooks: { PreToolUse: [hook] } }));
	mkdirSync(join(project, ".tau"));
	writeFileSync(join(project, ".tau/hooks.json"), JSON.stringify({ hooks: { Stop: [hook] } }));
	await tau.until("Trust this project's code?");
	// What the hooks of the project would run is part of the question.
	await tau.until(/\.tau\/hooks\.json\n +Stop: true # audit/);
	tau.press("escape");
	await tau.until("played-1");
	writeFileSync(join(other, "AGENTS.md"), "Only tabs.");
	tau.type(`/add-dir "${other}"\r`);
	await tau.until("Added ~/other for this session. Its instructions are read at the next");
	tau.type("/status\r");
	await tau.until(/directory[^]*~\/other/);
	await tau.until(/commands +run [^]*mcp +[^]*lsp +none runs/);
	tau.type("/hooks\r");
	await tau.until(
		/Stop {2}true # audit[^]*does not run: the project is not trusted[^]*PreToolUse {2}true # audit/,
	);
	tau.type(`read @${other}/note.txt \r`);
	await tau.until("Seen.");
	expect(system(tau, 0)).toContain(`These directories also belong to the work: ${other}`);
	expect(messages(tau, 0)).toContain("from the other directory");
});

test("/copy offers code blocks, and copies the nth answer", async () => {
	const answer = "Use this:\n\n```js\nlet a = 1;\n```\n\nDone.";
	await using tau = await openTau(
		{ steps: ["First \x1b[201~answer.", answer] },
		{ env: { PATH: "/bin:/usr/bin" } },
	);
	await tau.until("played-1");
	tau.type("one\r");
	await tau.until("First answer.");
	tau.type("two\r");
	await tau.until("Done.");
	tau.type("/copy\r");
	await tau.until("── Copy");
	tau.press("down", "enter");
	await tau.until("Copied a js block");
	expect(copied(tau)).toBe("let a = 1;");
	tau.type("/copy 2\r");
	await tau.until("Copied answer 2");
	expect(copied(tau)).toBe("First answer.");
	tau.type("/copy 9\r");
	await tau.until("There is no answer 9; this session has 2.");
});

test("/clone continues in a copy, /import in another file, and /rename names the session", async () => {
	await using tau = await openTau({ steps: ["Answer one.", "Answer two.", "Answer three."] });
	await tau.until("played-1");
	tau.type("one\r");
	await tau.until("Answer one.");
	const sessions = join(tau.home.agentDir, "sessions");
	const files = (): string[] =>
		readdirSync(sessions, { recursive: true })
			.map((name) => join(sessions, String(name)))
			.filter((name) => name.endsWith(".jsonl"));
	const [original = ""] = files();
	const before = readFileSync(original, "utf8");
	tau.type("/clone\r");
	await tau.until("Cloned. The original session is unchanged.");
	tau.type("/rename the copy\r");
	await tau.until('Session renamed to "the copy".');
	tau.type("two\r");
	await tau.until("Answer two.");
	expect(files()).toHaveLength(2);
	expect(readFileSync(original, "utf8")).toBe(before);
	tau.type(`/import ${original}\r`);
	await tau.until("Imported from");
	await tau.untilGone("Answer two.");
	tau.type("three\r");
	await tau.until("Answer three.");
	expect(messages(tau, 2)).toContain("Answer one.");
	expect(messages(tau, 2)).not.toContain("Answer two.");
	expect(readFileSync(original, "utf8")).toBe(before);
});

test("/import says why a file without a conversation is not imported", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	const file = (name: string, text: string): string => writeTestFile(join(tau.home.project, name), text);
	const header = { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" };
	tau.type(`/import ${file("header.jsonl", `${JSON.stringify(header)}\n`)}\r`);
	await tau.until("is a session without messages");
	tau.type(`/import ${file("empty.jsonl", "")}\r`);
	await tau.until(/was not imported:\s+the\s+file is empty\./);
	tau.type(`/import ${file("other.jsonl", '{"a":1}\n')}\r`);
	await tau.until("was not imported: it is not");
});

test("/rewind gives back a prompt that has no answer yet", async () => {
	await using tau = await openTau({ steps: [{ fault: { silent: true } }, "Answered."] });
	await tau.until("played-1");
	tau.type("the unanswered one\r");
	await tau.home.played.waitForRequest(1);
	await tau.until("❯ the unanswered one");
	tau.type("/rewind\r");
	await tau.until("Rewind to before a message");
	tau.press("enter");
	await tau.untilGone("❯ the unanswered one");
	await tau.until("the unanswered one");
	tau.type(" again\r");
	await tau.until("Answered.");
	expect(messages(tau, 1)).toContain("the unanswered one again");
});

test("/scoped-models limits what ctrl+p cycles through, and saves it", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	tau.type("/scoped-models\r");
	await tau.until("Models to cycle through: all");
	tau.type("played-1");
	await tau.until(/○ played\/played-1/);
	tau.press("enter");
	await tau.until(/● played\/played-1/);
	tau.type("\x13");
	await tau.until("Saved the models to cycle through");
	await tau.untilFiles(() => {
		const file = join(tau.home.agentDir, "config.yml");
		return existsSync(file) && readFileSync(file, "utf8").includes("played/played-1");
	});
});

test.each([
	["bug", /Wrote .*feedback/],
	["usage", /^ ❯ \/usage/m],
	["config", /── Settings ──/],
	["search", /── Find|esc close/],
])(
	"/%s, another name of a command, runs at the first Enter, whatever else looks similar",
	async (name, shown) => {
		await using tau = await openTau({ steps: ["Hello."] });
		await tau.until("played-1");
		tau.type("hi\r");
		await tau.until("Hello.");
		tau.type(`/${name}`);
		await tau.until(new RegExp(`❯ ${name} `));
		tau.press("enter");
		await tau.until(shown);
	},
);

test("/feedback writes a report without messages, keys and the home directory", async () => {
	await using tau = await openTau({ steps: ["The answer."] });
	await tau.until("played-1");
	tau.type("a private question\r");
	await tau.until("The answer.");
	tau.type("/feedback it broke with sk-ant-abcdefghijklmnopqrstuvwxyz0123\r");
	await tau.until(/Wrote .*feedback/);
	const directory = join(tau.home.home, ".tau/state/feedback");
	const [name = ""] = readdirSync(directory);
	const report = readFileSync(join(directory, name), "utf8");
	expect(report).toContain("it broke with");
	expect(report).toContain("played/played-1");
	expect(report).not.toMatch(/private question|The answer|abcdefghijklmnop/);
	expect(report).not.toContain(tau.home.home);
});

test("/clear starts a clean screen, and /changelog names pages instead of links into the repository", async () => {
	await using tau = await openTau({ steps: ["An old answer."] }, { rows: 60 });
	await tau.until("played-1");
	tau.type("an old prompt\r");
	await tau.until("An old answer.");
	tau.type("/clear\r");
	await tau.until("Context cleared.");
	await tau.untilGone("An old answer.");
	tau.type("/changelog\r");
	await tau.until("more rows in CHANGELOG.md");
	expect(tau.scrollback()).toContain("(schedules)");
	expect(tau.scrollback()).not.toMatch(/\((?:\.\.\/)*docs\/[\w/.-]+\.md\)\)/);
});

test("a session that does not exist is refused before anything is drawn", async () => {
	await using tau = await openTau({ steps: [] }, { args: ["--session", "zzz"] });
	expect(await tau.exited).toBe(2);
	expect(tau.bytes).toContain('Session "zzz" not found.');
	expect(tau.bytes).not.toContain("Ask anything");
});

test("a queue belongs to its branch: /rewind gives its prompts back to the editor", async () => {
	const sleep = { toolCall: { name: "bash", arguments: { command: "sleep 60" } } };
	await using tau = await openTau({ steps: [{ answer: { blocks: [sleep] } }], fallback: "Sent." });
	await tau.until("played-1");
	tau.type("one\r");
	await tau.until("running bash");
	tau.type("say this later");
	tau.press("altEnter");
	await tau.until("Follow-up");
	tau.type("/rewind\r");
	await tau.until("Rewind to before a message");
	tau.press("enter");
	await tau.until(/one\n\s*\n\s*say this later/);
	expect(tau.screen()).not.toContain("Follow-up");
	expect(tau.home.played.requests).toHaveLength(1);
});

test("ctrl+r lists earlier prompts of the session with their age, and puts one back into the editor", async () => {
	await using tau = await openTau({ steps: ["Done."], fallback: "Again." });
	await tau.until("played-1");
	tau.type("explain the cart\r");
	await tau.until("Done.");
	tau.type("\x12");
	await tau.until(/Earlier prompts[^]*explain the cart +now/);
	tau.press("enter");
	await tau.untilGone("Earlier prompts");
	tau.type(", please\r");
	await tau.until("Again.");
	expect(messages(tau, 1)).toContain("explain the cart, please");
});

test("a new session recalls the prompts of earlier ones of its directory, but no shell commands", async () => {
	await using home = await launch({ steps: ["Done."], fallback: "Again." });
	{
		await using first = await openTau({ steps: [] }, { home });
		await first.until("played-1");
		first.type("explain the cart\r");
		await first.until("Done.");
		first.type("!echo swordfish-1\r");
		await first.until(/swordfish-1[^]*swordfish-1/);
		first.type("/exit\r");
		expect(await first.exited).toBe(0);
	}
	{
		await using private_ = await openTau({ steps: [] }, { home, args: ["--no-session"] });
		await private_.until("played-1");
		private_.press("up");
		await private_.until("explain the cart");
		private_.type(" quietly\r");
		await private_.until("Again.");
	}
	await using second = await openTau({ steps: [] }, { home });
	await second.until("played-1");
	second.press("up");
	await second.until("explain the cart");
	second.press("ctrlC");
	await second.untilGone("explain the cart");
	second.type("\x12");
	await second.until(/This project {2}This session {2}Everywhere[^]*explain the cart/);
	// It says which session it came from, and how to go there.
	await second.until(/from .+ · tau --session [0-9a-f-]{18}/);
	expect(second.screen()).not.toMatch(/swordfish|quietly/);
	second.press("tab");
	await second.until("No prompts yet");
});

test("/doctor shows in a panel what works, and the problems of this session with their fixes", async () => {
	await using home = await launch({ steps: [] });
	writeTestFile(join(home.agentDir, "extensions/failing.ts"), 'throw new Error("no tea today");');
	await using tau = await openTau({ steps: [] }, { home, rows: 60 });
	await tau.until("played-1");
	tau.type("/doctor\r");
	await tau.until(/── Doctor: \d+ problems? [^]*✓ model +played\/played-1[^]*✓ storage/);
	await tau.until(
		/! extensions: ~\/.tau\/agent\/extensions\/failing.ts: [^]*no tea today[^]*fix: Correct the file and/,
	);
	tau.press("escape");
	await tau.untilGone("── Doctor");
});

test("/memory says how to switch it on, and does it", async () => {
	await using tau = await openTau({ steps: [] }, { anyModel: true, env: { GROQ_API_KEY: "gsk_none" } });
	await tau.until("groq/");
	tau.type("/memory\r");
	await tau.until("/memory on switches");
	tau.type("/memory on\r");
	await tau.until("Memory is on");
	expect(readFileSync(join(tau.home.agentDir, "config.yml"), "utf8")).toContain("enabled: true");
	tau.type("/status\r");
	await tau.until(/account +API key from GROQ_API_KEY/);
});

test("/login says that a provider rejects a key, after it was saved", async () => {
	using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: () => new Response("", { status: 401 }),
	});
	const env = { OPENAI_BASE_URL: `${server.url.origin}/v1` };
	await using tau = await openTau({ steps: [] }, { env });
	await tau.until("played-1");
	tau.type("/login openai api\r");
	await tau.until("❯ OpenAI: API key");
	tau.press("enter");
	await tau.until("API key (hidden)");
	tau.type("wrong-key\r");
	await tau.until("OpenAI rejects the API key that was just saved.");
	expect(tau.bytes).not.toContain("wrong-key");
});
