/** Extensions that break what they can, in the real program: the screen and the conversation survive. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "../interactive/driver.ts";
import { launch, type Launched } from "../support/launch.ts";

function writeFixture(tau: Launched, source: string): string {
	const file = join(tau.home, "hostile.ts");
	writeFileSync(file, source);
	return file;
}

test("components that fail in every way do not damage the conversation or the terminal", async () => {
	const names = ["bare", "wide", "numbers", "throws", "control"];
	const home = await launch({
		steps: names.flatMap((name) => [
			{ answer: { blocks: [{ toolCall: { name, arguments: {} } }] } },
			`Done with ${name}.`,
		]),
	});
	await using _ = home;
	const file = writeFixture(
		home,
		`const draws = {
			bare: { render: () => ["without invalidate"] },
			wide: { render: () => ["w".repeat(500), "界".repeat(300)], invalidate() {} },
			numbers: { render: () => [1, null, {}], invalidate() {} },
			throws: { render() { throw undefined; }, invalidate() { throw new Error("never"); } },
			control: { render: () => ["\\x1b[2Jcleared\\x1b]0;stolen\\x07\\x1b[?1049h"], invalidate() {} },
		};
		export default (pi) => {
			for (const [name, drawn] of Object.entries(draws)) pi.registerTool({
				name, label: name, description: "Does " + name, parameters: { type: "object", properties: {} },
				execute: async () => ({ content: [{ type: "text", text: name }] }),
				renderCall: () => drawn, renderResult: () => drawn,
			});
		};`,
	);
	await using tau = await openTau({ steps: [] }, { home, args: ["-e", file] });
	await tau.until("played-1");
	for (const name of names) {
		tau.type("go\r");
		await tau.until(`Done with ${name}.`);
	}
	expect(tau.scrollback()).toContain("without invalidate");
	expect(tau.bytes).not.toContain("\x1b[2J");
	expect(tau.bytes).not.toContain("\x1b[?1049h");
	expect(tau.title).not.toContain("stolen");
	tau.type("still here");
	await tau.until("still here");
});

test("an unhandled rejection with a value that is not an Error ends neither screen nor answer", async () => {
	const source = `import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
		export default (pi) => pi.on("tool_execution_start", (_event, ctx) => {
			setTimeout(() => { throw undefined; });
			setTimeout(() => void Promise.reject("a word"));
			setTimeout(() => writeFileSync(ctx.cwd + "/thrown", ""), 10);
		});`;
	const command = "until [ -e thrown ]; do sleep 0.01; done; rm thrown";
	const call = { answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } };
	const home = await launch({ steps: [call, "Printed.", call, "Shown."] });
	await using _ = home;
	const file = writeFixture(home, source);
	const printed = await home.run(["-p", "--model", "played/played-1", "-e", file, "go"]);
	expect(printed).toMatchObject({ code: 0, out: "Printed.\n" });
	expect(printed.err).toContain("hostile.ts (uncaught): a word");
	await using tau = await openTau({ steps: [] }, { home, args: ["-e", file] });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("Shown.");
	expect(tau.scrollback()).toContain("(uncaught): undefined");
});

test("an endless timer of an extension does not block the exit", async () => {
	await using tau = await launch({ steps: ["Hi."] });
	const file = writeFixture(tau, `setInterval(() => {}, 1000); export default () => {};`);
	const printed = await tau.run(["-p", "--model", "played/played-1", "-e", file, "go"]);
	expect(printed).toEqual({ code: 0, out: "Hi.\n", err: "" });
	expect(await tau.run(["-p", "--model", "played/absent", "-e", file, "go"])).toMatchObject({ code: 2 });
});

test("invalid results of handlers affect neither the start nor the answer", async () => {
	await using tau = await launch({ steps: ["Hi."] });
	const file = writeFixture(
		tau,
		`export default (pi) => {
			pi.on("resources_discover", () => ({ skillPaths: 5, promptPaths: [null, 7], themePaths: "x" }));
			pi.on("input", () => 5);
			pi.on("before_agent_start", () => ({ systemPrompt: 5, message: 7 }));
			pi.on("context", () => ({ messages: [null, { role: "user" }, "x"] }));
			pi.on("message_end", () => ({ message: 5 }));
		};`,
	);
	const { code, out } = await tau.run(["-p", "--model", "played/played-1", "-e", file, "go"]);
	expect({ code, out }).toEqual({ code: 0, out: "Hi.\n" });
});

test("choices that are not strings can be read and selected", async () => {
	const home = await launch({ steps: [] });
	await using _ = home;
	const file = writeFixture(
		home,
		`export default (pi) => pi.registerCommand("ask", { handler: async (_args, ctx) => {
			ctx.ui.notify("took " + (await ctx.ui.select("Which?", [1, "two", { label: 3 }])));
		} });`,
	);
	await using tau = await openTau({ steps: [] }, { home, args: ["-e", file] });
	await tau.until("played-1");
	tau.type("/ask\r");
	await tau.until("Which?");
	tau.press("enter");
	await tau.until("took 1");
});

test("an extension whose sessions load it again is stopped, and the prompt is answered", async () => {
	const home = await launch({ steps: Array.from({ length: 20 }, () => "Answered.") });
	await using _ = home;
	mkdirSync(join(home.agentDir, "extensions"));
	const file = join(home.agentDir, "extensions/again.ts");
	writeFileSync(
		file,
		`import { createAgentSession, SessionManager } from "@mariozechner/pi-coding-agent";
		import { appendFileSync } from "node:fs";
		const tell = (line) => appendFileSync(process.env.HOME + "/sessions", line + "\\n");
		export default (pi) => pi.on("before_agent_start", async (_event, ctx) => {
			try {
				const { session } = await createAgentSession({ model: ctx.model, sessionManager: SessionManager.inMemory() });
				tell("created");
				await session.prompt("again");
				await session.dispose();
			} catch (error) {
				tell(error.message);
			}
		});`,
	);
	const printed = await home.run(["-p", "--no-session", "--model", "played/played-1", "go"]);
	expect(printed).toMatchObject({ code: 0, out: "Answered.\n" });
	const lines = readFileSync(join(home.home, "sessions"), "utf8").trimEnd().split("\n");
	expect(lines).toEqual([
		...Array.from({ length: 8 }, () => "created"),
		expect.stringMatching(/^Extension again creates a session in a session, 8 deep/),
	]);
	expect(home.played.requests).toHaveLength(9);
});
