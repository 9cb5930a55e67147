/** Messages, entries, commands and providers of extensions have the effect that pi's documentation promises. */
import { describe, expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { needs } from "../../../../test/support/needs.ts";
import { hostOf } from "../../../../test/support/agents.ts";
import { callOf, type ExtensionFixture, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const command = (name: string, body: string): string =>
	`export default (pi) => pi.registerCommand("${name}", { async handler(args, ctx) { ${body} } });`;

function said({ session }: ExtensionFixture): string[] {
	return session.state.messages.map((message) => {
		const { role } = message;
		if (role !== "user" && role !== "custom" && role !== "assistant") return role;
		const { content } = message;
		const text =
			typeof content === "string"
				? content
				: content.map((part) => (part.type === "text" ? part.text : part.type)).join("");
		return `${role} ${text}`;
	});
}

describe("sendMessage", () => {
	const own = `{ customType: "note", content: "mind it", display: true, details: { n: 1 } }`;

	test("while idle is only stored, and sent with the next prompt", async () => {
		await using fixture = await extensionFixture(
			{ steps: ["Ok."] },
			{ files: { "a.ts": command("note", `pi.sendMessage(${own});`) } },
		);
		await fixture.prompt("/note");
		expect(fixture.played.requests).toHaveLength(0);
		expect(fixture.log.getEntries()).toMatchObject([
			{ type: "custom_message", customType: "note", content: "mind it", display: true, details: { n: 1 } },
		]);
		expect(fixture.events.map(({ type }) => type)).toEqual(["message_start", "message_end"]);
		await fixture.prompt("go");
		expect(fixture.request(0)).toMatch(/mind it.*go/);
	});

	test("with triggerTurn sends a request at once", async () => {
		await using fixture = await extensionFixture(
			{ steps: ["Ok."] },
			{ files: { "a.ts": command("note", `pi.sendMessage(${own}, { triggerTurn: true });`) } },
		);
		await fixture.prompt("/note");
		expect(said(fixture)).toEqual(["custom mind it", "assistant Ok."]);
	});

	test.each([
		[
			"steer",
			[
				"user go",
				"assistant toolCall",
				"toolResult",
				"custom mind it",
				"assistant Two.",
				"user",
				"assistant Three.",
			],
		],
		[
			"followUp",
			["user go", "assistant toolCall", "toolResult", "assistant Two.", "custom mind it", "assistant Three."],
		],
		["nextTurn", ["user go", "assistant toolCall", "toolResult", "assistant Two."]],
	])("as %s during a run", async (deliverAs, expected) => {
		const source = `export default (pi) => pi.on("tool_execution_start", () => pi.sendMessage(${own}, { deliverAs: "${deliverAs}" }));`;
		await using fixture = await extensionFixture(
			{ steps: [callOf("bash", { command: "true" }), "Two.", "Three."] },
			{ files: { "a.ts": source } },
		);
		await fixture.prompt("go");
		const shown = deliverAs === "steer" ? 5 : expected.length;
		expect(said(fixture).slice(0, shown)).toEqual(expected.slice(0, shown));
		if (deliverAs !== "nextTurn") return;
		await fixture.prompt("on");
		expect(said(fixture).slice(4)).toEqual(["user on", "custom mind it", "assistant Three."]);
	});

	test("at the very end of a run is answered in another run", async () => {
		const source = `let once = true; export default (pi) => pi.on("agent_end", () => { if (once) pi.sendMessage(${own}, { triggerTurn: true }); once = false; });`;
		await using fixture = await extensionFixture({ steps: ["One.", "Two."] }, { files: { "a.ts": source } });
		await fixture.prompt("go");
		expect(said(fixture)).toEqual(["user go", "assistant One.", "custom mind it", "assistant Two."]);
	});
});

describe("runs that only extensions prolong", () => {
	const note = `{ customType: "note", content: "NOTE", display: true }`;
	const on = (event: string, body: string): Record<string, string> => ({
		"a.ts": `let sent = 0; export default (pi) => pi.on("${event}", (event) => { ${body} });`,
	});
	const answers = Array.from({ length: 40 }, (_, index) => `Answer ${index}.`);

	test.each(["turn_end", "agent_end", "agent_settled", "message_end"])(
		"a message with triggerTurn: false from %s never causes a request",
		async (event) => {
			const files = on(event, `if (sent++ < 4) pi.sendMessage(${note}, { triggerTurn: false });`);
			await using fixture = await extensionFixture({ steps: answers }, { files });
			await fixture.prompt("go");
			await fixture.prompt("and now?");
			expect(fixture.played.requests).toHaveLength(2);
			expect(said(fixture).filter((line) => line === "custom NOTE")).not.toEqual([]);
			expect(said(fixture)[0]).toBe("user go");
		},
	);

	test("during tool calls, all of them go to the model with the results, after the turn", async () => {
		const files = on(
			"tool_execution_start",
			`for (const content of ["A", "B"]) pi.sendMessage({ customType: "note", content, display: true }, { triggerTurn: false });`,
		);
		await using fixture = await extensionFixture(
			{ steps: [callOf("bash", { command: "true" }), "Two."] },
			{ files },
		);
		await fixture.prompt("go");
		expect(said(fixture)).toEqual([
			"user go",
			"assistant toolCall",
			"toolResult",
			"custom A",
			"custom B",
			"assistant Two.",
		]);
		expect(fixture.played.requests).toHaveLength(2);
		expect(fixture.log.getEntries().map(({ type }) => type)).toEqual([
			"message",
			"message",
			"message",
			"custom_message",
			"custom_message",
			"message",
		]);
	});

	test("one that answers every message with another one is stopped and named", async () => {
		await using fixture = await extensionFixture(
			{ steps: answers },
			{ files: on("message_end", `void pi.sendMessage(${note}, { triggerTurn: false });`) },
		);
		await fixture.prompt("go");
		await until(() => fixture.events.some(({ type }) => type === "notice"));
		await fixture.session.waitForIdle();
		expect(fixture.played.requests).toHaveLength(1);
		expect(fixture.events.filter(({ type }) => type === "notice")).toMatchObject([
			{ message: expect.stringContaining("Extension a sent too many messages in a row") },
		]);
	});

	test.each([
		["agent_end", `pi.sendMessage(${note}, { triggerTurn: true });`],
		["agent_settled", `pi.sendMessage(${note}, { triggerTurn: true });`],
		["turn_end", `pi.sendMessage(${note}, { deliverAs: "followUp" });`],
		["agent_end", `pi.sendUserMessage("more", { deliverAs: "followUp" });`],
		[
			"message_end",
			`if (event.message.role === "assistant") for (let at = 0; at < 30; at++) pi.sendMessage(${note});`,
		],
	])("one that answers every %s with %s is stopped and named", async (event, body) => {
		await using fixture = await extensionFixture(
			{ steps: answers },
			{ files: on(event, body), settings: "extensionTurns: 3\n" },
		);
		await fixture.prompt("go");
		await fixture.session.waitForIdle();
		// An answer to agent_settled begins a run of its own.
		await until(() => fixture.events.some(({ type }) => type === "notice"));
		await fixture.session.waitForIdle();
		expect(fixture.played.requests).toHaveLength(4);
		expect(fixture.events.filter(({ type }) => type === "notice")).toMatchObject([
			{ message: expect.stringMatching(/^Extension a asked for 3 answers in a row .*extensionTurns/) },
		]);
		// A prompt of the user begins anew.
		await fixture.prompt("go on");
		await until(() => fixture.played.requests.length > 5);
	});

	test("tool calls between the messages are progress", async () => {
		const files = on("agent_end", `if (sent++ < 4) pi.sendMessage(${note}, { triggerTurn: true });`);
		const steps = answers.slice(0, 5).flatMap((text) => [callOf("bash", { command: "true" }), text]);
		await using fixture = await extensionFixture({ steps }, { files, settings: "extensionTurns: 1\n" });
		await fixture.prompt("go");
		expect(fixture.played.requests).toHaveLength(10);
	});

	test.each(["agent_end", "agent_settled"])(
		"an abort ends one that answers every %s, also with a model that answers at once",
		async (event) => {
			const files = on(event, `pi.sendMessage(${note}, { triggerTurn: true });`);
			await using fixture = await extensionFixture({ steps: answers }, { files });
			const aborted = Promise.withResolvers<void>();
			using _ = fixture.session.subscribe((each) => {
				if (each.type !== "agent_end" || fixture.played.requests.length < 3) return;
				fixture.session.abort();
				aborted.resolve();
			});
			void fixture.session.prompt({ text: "go" });
			await aborted.promise;
			await fixture.session.waitForIdle();
			const { length } = fixture.played.requests;
			// What handlers of the end send is stored by the time that it is over.
			await until(() => said(fixture).at(-1) === "custom NOTE" || fixture.session.state.followUps.length > 0);
			await fixture.session.waitForIdle();
			expect(fixture.played.requests).toHaveLength(length);
		},
	);
});

describe("sendUserMessage", () => {
	test("starts a run when idle, as text or with images", async () => {
		const picture = `[{ type: "text", text: "what is it" }, { type: "image", data: "aGk=", mimeType: "image/png" }]`;
		await using fixture = await extensionFixture(
			{ steps: ["One.", "Two."] },
			{
				files: {
					"a.ts": command("ask", `pi.sendUserMessage("why");`),
					"b.ts": command("show", `pi.sendUserMessage(${picture});`),
				},
			},
		);
		await fixture.prompt("/ask");
		await fixture.prompt("/show");
		expect(said(fixture)).toEqual(["user why", "assistant One.", "user what is itimage", "assistant Two."]);
	});

	test("during a run steers, or is queued as a follow-up", async () => {
		const source = (how: string): string =>
			`export default (pi) => pi.on("tool_execution_start", () => pi.sendUserMessage("and then?"${how}));`;
		const steps = [callOf("bash", { command: "true" }), "Two.", "Three."];
		await using without = await extensionFixture({ steps }, { files: { "a.ts": source("") } });
		await without.prompt("go");
		expect(said(without)).toEqual([
			"user go",
			"assistant toolCall",
			"toolResult",
			"user and then?",
			"assistant Two.",
		]);
		await using queued = await extensionFixture(
			{ steps },
			{ files: { "a.ts": source(`, { deliverAs: "followUp" }`) } },
		);
		await queued.prompt("go");
		expect(said(queued).slice(-2)).toEqual(["user and then?", "assistant Three."]);
	});

	test("with a slash command during a run executes the command after the run", async () => {
		const source = `export default (pi) => {
			pi.on("tool_execution_start", () => pi.sendUserMessage("/later x", { deliverAs: "followUp" }));
			pi.registerCommand("later", { handler: (args, ctx) => ctx.ui.notify(args + " " + ctx.isIdle()) });
		};`;
		await using fixture = await extensionFixture(
			{ steps: [callOf("bash", { command: "true" }), "Two."] },
			{ files: { "a.ts": source } },
		);
		await fixture.prompt("go");
		expect(fixture.shown).toEqual(["notify: x true"]);
		expect(fixture.played.requests).toHaveLength(2);
	});
});

test("setThinkingLevel takes pi's highest level, as far as the model has it, and names a wrong one", async () => {
	const source = command("think", `pi.setThinkingLevel(args); ctx.ui.notify(pi.getThinkingLevel());`);
	await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
	fixture.session.setModel({ ...fixture.session.model, reasoning: true });
	await fixture.prompt("/think max");
	await fixture.prompt("/think ultra");
	expect(fixture.shown).toEqual(["notify: high"]);
	expect(fixture.events).toContainEqual(
		expect.objectContaining({ type: "extension_error", error: expect.stringContaining("ultra") }),
	);
});

test("names, labels and entries are stored in the session", async () => {
	const source = command(
		"keep",
		`await pi.setSessionName("  My work "); pi.appendEntry("state", { n: 1 }); pi.appendEntry("mark");
		const id = ctx.sessionManager.getLeafId(); pi.setLabel(id, "here");
		ctx.ui.notify([pi.getSessionName(), ctx.sessionManager.getLabel(id), ctx.sessionManager.getEntries().length].join(" "));
		pi.setLabel("Keeper");`,
	);
	await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
	await fixture.prompt("/keep");
	expect(fixture.shown).toEqual(["notify: My work here 4"]);
	expect(fixture.log.getEntries().map(({ type }) => type)).toEqual([
		"session_info",
		"custom",
		"custom",
		"label",
	]);
	expect(fixture.events).toMatchObject([
		{ type: "session_info_changed", name: "My work" },
		{ type: "label_changed", label: "here" },
	]);
	expect(fixture.extensions.runner.extensions[0]?.label).toBe("Keeper");
});

test("commands with the same name get numbers and arguments, and a failing one is reported", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["Said."] },
		{
			files: {
				"a.ts": command("review", `ctx.ui.notify("a " + args);`),
				"b.ts": command("review", `ctx.ui.notify("b " + args);`),
				"c.ts": command("fail", `throw new Error("no");`),
				"d.ts": command(
					"list",
					`ctx.ui.notify(pi.getCommands().map(({ name, source }) => name + " " + source).join(", "));`,
				),
			},
		},
	);
	for (const text of ["/review:2  x\ny ", "/review:1", "/fail", "/list"]) await fixture.prompt(text);
	expect(fixture.shown).toEqual([
		"notify: b x\ny",
		"notify: a ",
		"notify: review:1 extension, review:2 extension, fail extension, list extension",
	]);
	expect(fixture.events).toMatchObject([
		{ type: "extension_error", event: "/fail", error: expect.stringContaining("no") },
	]);
	await fixture.prompt("/review");
	expect(fixture.request(0)).toContain("/review");
});

describe("providers", () => {
	test("models of an extension are found with the key that it names, until they are unregistered", async () => {
		const source = `export default (pi) => {
			pi.registerProvider("corp", { baseUrl: "https://corp.example/v1", apiKey: "CORP_TEST_KEY", api: "openai-completions", headers: { "x-team": "a" }, models: [{ id: "big", name: "Big", reasoning: true, input: ["text"], cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 }] });
			pi.registerProvider("anthropic", { baseUrl: "https://proxy.example" });
			pi.registerCommand("look", { async handler(_args, ctx) {
				const { modelRegistry } = ctx;
				const model = modelRegistry.find("corp", "big");
				const auth = model && await modelRegistry.getApiKeyAndHeaders(model);
				const urls = new Set(modelRegistry.getAll().filter(({ provider }) => provider === "anthropic").map(({ baseUrl }) => baseUrl));
				ctx.ui.notify(JSON.stringify([model?.baseUrl, model?.headers, auth?.apiKey, [...urls].join()]));
			} });
			pi.registerCommand("drop", { handler() { pi.unregisterProvider("corp"); pi.unregisterProvider("anthropic"); } });
		};`;
		process.env.CORP_TEST_KEY = "key-of-corp";
		try {
			await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
			for (const text of ["/look", "/drop", "/look"]) await fixture.prompt(text);
			const [before, after] = fixture.shown.map(
				(line) => JSON.parse(line.slice("notify: ".length)) as unknown[],
			);
			expect(before).toEqual([
				"https://corp.example/v1",
				{ "x-team": "a" },
				"key-of-corp",
				"https://proxy.example",
			]);
			expect(after).toEqual([null, null, null, expect.not.stringContaining("proxy")]);
		} finally {
			delete process.env.CORP_TEST_KEY;
		}
	});

	test("a model without a base URL or protocol is rejected with a reason, and affects nothing else", async () => {
		const source = `export default (pi) => pi.registerProvider("corp", { models: [{ id: "big" }] });`;
		await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
		expect(fixture.notices).toEqual([
			"An extension's provider corp is not used: The model corp/big needs an api, in the model or the provider.",
		]);
	});
});

needs("python3")("user_python: an extension can return the result of a cell that the user runs", async () => {
	const source = `export default (pi) => pi.on("user_python", ({ code, excludeFromContext }) => code === "1 + 1" ? { result: { output: "two " + excludeFromContext, exitCode: 0, cancelled: false, truncated: false } } : undefined);`;
	await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
	expect(await hostOf(fixture).cell("1 + 1", { isPrivate: true })).toMatchObject({
		role: "pythonExecution",
		output: "two true",
		excludeFromContext: true,
	});
	expect(await hostOf(fixture).cell("2 + 2")).toMatchObject({ output: "4" });
	expect(await hostOf(fixture).cell("[...'abc'].length", { language: "js" })).toMatchObject({
		language: "js",
		output: "3",
		exitCode: 0,
	});
});

test("user_bash: an extension can run the command elsewhere or return a finished result", async () => {
	const source = `export default (pi) => pi.on("user_bash", ({ command }) => command === "ls" ? { result: { output: "faked", exitCode: 0, cancelled: false, truncated: false } } : undefined);`;
	await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
	const ask = (text: string) =>
		fixture.extensions.userBash({ command: text, cwd: "/", excludeFromContext: false });
	expect(await ask("ls")).toMatchObject({ result: { output: "faked" } });
	expect(await ask("pwd")).toBeUndefined();
});

async function until(condition: () => boolean): Promise<void> {
	for (let tries = 0; !condition(); tries++) {
		if (tries > 5000) throw new Error("It did not happen.");
		await Bun.sleep(2);
	}
}
