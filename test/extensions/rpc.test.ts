/** Extensions in RPC mode: the client answers dialogs, commands run, and extensions may cancel session changes. */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "bun:test";
import type { Scenario } from "@tau/ai/testing";

import { isEvent, model, startRpc, type Frame, type RpcProcess } from "../rpc/rpc-process.ts";
import { launch, type Launched } from "../support/launch.ts";

interface Fixture extends AsyncDisposable {
	tau: Launched;
	rpc: RpcProcess;
}

async function openFixture(scenario: Scenario, body: string, more: readonly string[] = []): Promise<Fixture> {
	const tau = await launch(scenario);
	const file = join(tau.home, "ext", "test.ts");
	mkdirSync(join(tau.home, "ext"));
	writeFileSync(file, `export default function (pi) { ${body} }`);
	const rpc = startRpc(tau, [...model, ...more, "-e", file]);
	return {
		tau,
		rpc,
		async [Symbol.asyncDispose]() {
			await rpc[Symbol.asyncDispose]();
			await tau[Symbol.asyncDispose]();
		},
	};
}

const request =
	(method: string) =>
	(frame: Frame): boolean =>
		frame.type === "extension_ui_request" && frame.method === method;

function answer({ id }: Frame, what: object): object {
	return { type: "extension_ui_response", id, ...what };
}

/** The conversation as it was sent to the model, without the tools. */
function said({ played }: Launched, index: number): string {
	const body = played.requests[index]?.body as { messages: unknown } | undefined;
	return JSON.stringify(body?.messages);
}

describe("a dialog", () => {
	const asks = `pi.registerCommand("ask", { async handler(_args, ctx) {
		const picked = await ctx.ui.select("Pick", ["a", "b"]);
		const sure = await ctx.ui.confirm("Sure", "Really?");
		const name = await ctx.ui.input("Name", "your name");
		const text = await ctx.ui.editor("Text", "prefill");
		ctx.ui.notify(JSON.stringify([picked, sure, name, text, ctx.hasUI, await ctx.ui.custom(() => {}) ?? null, ctx.ui.theme.fg("accent", "x")]), "warning");
	} });`;

	test("is answered by the client, one after the other, while other commands continue", async () => {
		await using on = await openFixture({ steps: [] }, asks);
		const { rpc } = on;
		const responded = rpc.ask({ type: "prompt", message: "/ask" });
		const select = await rpc.until(request("select"));
		expect(select).toMatchObject({ title: "Pick", options: ["a", "b"] });
		expect(await rpc.ask({ type: "get_state" })).toMatchObject({
			success: true,
			data: { isStreaming: false },
		});
		rpc.write(answer(select, { value: "b" }));
		const confirm = await rpc.until(request("confirm"));
		expect(confirm).toMatchObject({ title: "Sure", message: "Really?" });
		rpc.write(answer({ type: "", id: "of-nobody" }, { confirmed: false }));
		rpc.write(answer(confirm, { confirmed: true }));
		const input = await rpc.until(request("input"));
		expect(input).toMatchObject({ placeholder: "your name" });
		rpc.write(answer(input, { cancelled: true }));
		const editor = await rpc.until(request("editor"));
		expect(editor).toMatchObject({ prefill: "prefill" });
		rpc.write(answer(editor, { value: "line\nline" }));
		const notify = await rpc.until(request("notify"));
		expect(notify).toMatchObject({ notifyType: "warning" });
		expect(JSON.parse(String(notify.message))).toEqual(["b", true, null, "line\nline", true, null, "x"]);
		expect(await responded).toMatchObject({ success: true, data: { disposition: "handled" } });
	});

	test("closes after its timeout, or when its signal is aborted", async () => {
		await using on = await openFixture(
			{ steps: [] },
			`pi.registerCommand("ask", { async handler(_args, ctx) {
				const picked = await ctx.ui.select("Pick", ["a"], { timeout: 10 });
				const stop = new AbortController();
				const asked = ctx.ui.confirm("Sure", "?", { signal: stop.signal });
				stop.abort();
				ctx.ui.notify(JSON.stringify([picked ?? null, await asked]));
			} });`,
		);
		await on.rpc.ask({ type: "prompt", message: "/ask" });
		expect(await on.rpc.until(request("select"))).toMatchObject({ timeout: 10 });
		expect(await on.rpc.until(request("notify"))).toMatchObject({ message: "[null,false]" });
	});

	test("holds a tool call until the user has said yes or no", async () => {
		const steps = ["echo yes", "echo no"].map((command) => ({
			answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
		}));
		await using on = await openFixture(
			{ steps: [...steps, "Done."] },
			`pi.on("tool_call", async ({ input }, ctx) => (await ctx.ui.confirm("Run?", input.command)) ? undefined : { block: true, reason: "The user said no." });`,
		);
		const { rpc } = on;
		await rpc.ask({ type: "prompt", message: "go" });
		const first = await rpc.until(request("confirm"));
		rpc.write(answer(first, { confirmed: true }));
		const second = await rpc.until(request("confirm"), rpc.frames.indexOf(first) + 1);
		rpc.write(answer(second, { confirmed: false }));
		await rpc.until(isEvent("agent_end"));
		expect(said(on.tau, 1)).toContain('"text":"yes"');
		expect(said(on.tau, 2)).toContain("The user said no.");
	});

	test("at the start may be listed and answered by the commands for requests, before all other commands", async () => {
		const body = `pi.on("session_start", async (_event, ctx) => {
			ctx.ui.notify(await ctx.ui.confirm("Start", "Really?") ? "yes" : "no");
		});`;
		await using on = await openFixture({ steps: [] }, body);
		const { rpc } = on;
		await rpc.until(request("confirm"));
		const { requests } = (await rpc.ask({ type: "list_requests" })).data as { requests: { id: string }[] };
		const [{ id: requestId = "" } = {}] = requests;
		expect(await rpc.ask({ type: "answer_request", requestId, answer: { confirmed: true } })).toMatchObject({
			success: true,
		});
		expect(await rpc.until(request("notify"))).toMatchObject({ message: "yes" });
	});

	test("that is open when the client disconnects does not block the exit", async () => {
		await using on = await openFixture({ steps: [] }, asks);
		on.rpc.write({ type: "prompt", message: "/ask" });
		await on.rpc.until(request("select"));
		on.rpc.end();
		expect((await on.rpc.running.finished).code).toBe(0);
	});
});

describe("the response to a prompt says what became of it", () => {
	const handlers = `
		pi.registerCommand("work", { async handler(args, ctx) { await new Promise((r) => setTimeout(r, 20)); ctx.ui.notify("worked"); } });
		pi.registerCommand("wait", { handler: () => new Promise(() => {}) });
		pi.on("input", ({ text }) => text === "mine" ? { action: "handled" } : text === "bad" ? undefined : { action: "transform", text: text + "!" });`;
	const slow = {
		answer: {
			blocks: [
				{ toolCall: { name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.01; done" } } },
			],
		},
	};

	test("handled by a command, after it has run, or by an input handler; started, or queued", async () => {
		await using on = await openFixture({ steps: [slow, "Done.", "More."] }, handlers);
		const { rpc, tau } = on;
		const ask = async (command: object) => (await rpc.ask(command)).data;
		expect(await ask({ type: "prompt", message: "/work" })).toEqual({ disposition: "handled" });
		expect(rpc.frames.findIndex(request("notify"))).toBeLessThan(rpc.frames.length - 1);
		expect(rpc.frames.some(request("notify"))).toBe(true);
		expect(await ask({ type: "prompt", message: "mine" })).toEqual({ disposition: "handled" });
		expect(await ask({ type: "steer", message: "mine" })).toEqual({ disposition: "handled" });
		expect(await ask({ type: "prompt", message: "go" })).toEqual({ disposition: "started" });
		await rpc.until(isEvent("tool_execution_start"));
		expect(await ask({ type: "prompt", message: "a", streamingBehavior: "steer" })).toEqual({
			disposition: "queued",
		});
		expect(await ask({ type: "follow_up", message: "b" })).toEqual({ disposition: "queued" });
		expect(await ask({ type: "follow_up", message: "mine" })).toEqual({ disposition: "handled" });
		expect(await rpc.ask({ type: "prompt", message: "c" })).toMatchObject({ success: false });
		writeFileSync(join(tau.project, "go"), "");
		await rpc.until(isEvent("agent_end"));
		expect(said(tau, 0)).toContain("go!");
	});

	test("a command that never ends holds up neither other commands nor the exit", async () => {
		await using on = await openFixture({ steps: ["Done."] }, handlers);
		const { rpc } = on;
		rpc.write({ type: "prompt", message: "/wait" });
		expect(await rpc.ask({ type: "prompt", message: "go" })).toMatchObject({
			data: { disposition: "started" },
		});
		await rpc.until(isEvent("agent_end"));
		rpc.end();
		expect((await rpc.running.finished).code).toBe(0);
	});
});

test("notifications and text widgets are sent, components are not", async () => {
	await using on = await openFixture(
		{ steps: [] },
		`pi.on("session_start", (_event, { ui }) => {
			ui.setStatus("k", "busy"); ui.setStatus("k", undefined); ui.setWidget("w", ["a", "b"], { placement: "belowEditor" });
			ui.setWidget("c", () => ({ render: () => [] })); ui.setTitle("t"); ui.setEditorText("e"); ui.pasteToEditor("p");
			ui.setFooter(() => {}); ui.setWorkingMessage("x"); ui.notify("last");
		});`,
	);
	const last = await on.rpc.until(request("notify"));
	expect(
		on.rpc.frames.slice(0, on.rpc.frames.indexOf(last)).map(({ type: _, id: __, ...frame }) => frame),
	).toEqual([
		{ method: "setStatus", statusKey: "k", statusText: "busy" },
		{ method: "setStatus", statusKey: "k" },
		{ method: "setWidget", widgetKey: "w", widgetLines: ["a", "b"], widgetPlacement: "belowEditor" },
		{ method: "setTitle", title: "t" },
		{ method: "set_editor_text", text: "e" },
		{ method: "set_editor_text", text: "p" },
	]);
});

test("get_commands lists commands of extensions, and a failing one is an event", async () => {
	await using on = await openFixture(
		{ steps: [] },
		`pi.registerCommand("boom", { description: "Goes wrong", handler() { throw new Error("bang"); } });`,
	);
	expect(await on.rpc.ask({ type: "get_commands" })).toMatchObject({
		data: {
			commands: [
				{ name: "boom", description: "Goes wrong", source: "extension", sourceInfo: { source: "cli" } },
				// Of an extension that comes with Tau.
				{ name: "loop", source: "extension" },
				{ name: "init", source: "prompt", sourceInfo: { source: "builtin" } },
			],
		},
	});
	await on.rpc.ask({ type: "prompt", message: "/boom" });
	expect(await on.rpc.until(isEvent("extension_error"))).toMatchObject({
		event: "/boom",
		error: expect.stringContaining("bang"),
	});
});

test("a command may run while a prompt is answered", async () => {
	const wait = "until [ -e go ]; do sleep 0.01; done";
	await using on = await openFixture(
		{
			steps: [
				{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: wait } } }] } },
				"Done.",
			],
		},
		`pi.registerCommand("now", { handler: (_args, ctx) => ctx.ui.notify("idle " + ctx.isIdle()) });`,
	);
	await on.rpc.ask({ type: "prompt", message: "go" });
	await on.rpc.until(isEvent("tool_execution_start"));
	expect(await on.rpc.ask({ type: "prompt", message: "/now" })).toMatchObject({ success: true });
	expect(await on.rpc.until(request("notify"))).toMatchObject({ message: "idle false" });
	expect(await on.rpc.ask({ type: "prompt", message: "more" })).toMatchObject({ success: false });
	writeFileSync(join(on.tau.project, "go"), "");
	await on.rpc.until(isEvent("agent_end"));
});

describe("a session", () => {
	test("stays open if an extension cancels the change, and a dialog about it does not block the client", async () => {
		await using on = await openFixture(
			{ steps: ["One."] },
			`pi.on("session_before_switch", async ({ reason }, ctx) => ({ cancel: !(await ctx.ui.confirm("Leave?", reason)) }));
			pi.on("session_before_fork", () => ({ cancel: true }));`,
		);
		const { rpc } = on;
		await rpc.ask({ type: "prompt", message: "hello" });
		await rpc.until(isEvent("agent_end"));
		const before = await rpc.ask({ type: "get_state" });
		rpc.write({ id: "new", type: "new_session" });
		const confirm = await rpc.until(request("confirm"));
		rpc.write(answer(confirm, { confirmed: false }));
		expect(await rpc.until(({ id }) => id === "new")).toMatchObject({ data: { cancelled: true } });
		expect(await rpc.ask({ type: "clone" })).toMatchObject({ data: { cancelled: true } });
		expect((await rpc.ask({ type: "get_state" })).data).toMatchObject({
			sessionId: (before.data as Frame).sessionId,
			messageCount: 2,
		});
	});

	test("is changed by a command, which continues in the new one", async () => {
		await using on = await openFixture(
			{ steps: ["One.", "Two."] },
			`pi.on("session_start", ({ reason, previousSessionFile }, ctx) => ctx.ui.notify("start " + reason + " " + Boolean(previousSessionFile)));
			pi.on("session_shutdown", ({ reason }) => pi.appendEntry("bye", reason));
			pi.registerCommand("handoff", { async handler(args, ctx) {
				const result = await ctx.newSession({
					parentSession: ctx.sessionManager.getSessionFile(),
					setup: (log) => void log.appendMessage({ role: "user", content: "from before", timestamp: 1 }),
					withSession: (next) => next.sendUserMessage("go on with " + args),
				});
				let stale = "";
				try { pi.getActiveTools(); } catch (error) { stale = error.name; }
				ctx.ui.notify("done " + result.cancelled + " " + stale);
			} });`,
		);
		const { rpc, tau } = on;
		await rpc.ask({ type: "prompt", message: "hello" });
		await rpc.until(isEvent("agent_end"));
		const { sessionFile } = (await rpc.ask({ type: "get_state" })).data as { sessionFile: string };
		await rpc.ask({ type: "prompt", message: "/handoff tests" });
		const done = await rpc.until(
			(frame) => request("notify")(frame) && String(frame.message).startsWith("done"),
		);
		expect(done).toMatchObject({ message: "done false StaleExtensionError" });
		expect(rpc.frames.filter(request("notify")).map(({ message }) => message)).toEqual([
			"start startup false",
			"start new true",
			"done false StaleExtensionError",
		]);
		expect(tau.played.requests[1]?.rawBody).toMatch(/from before.*go on with tests/);
		expect(tau.played.requests[1]?.rawBody).not.toContain("hello");
		expect(await Bun.file(sessionFile).text()).toContain('"customType":"bye"');
		const { sessionFile: next } = (await rpc.ask({ type: "get_state" })).data as { sessionFile: string };
		expect(await Bun.file(next).text()).toContain(`"parentSession":${JSON.stringify(sessionFile)}`);
	});

	test("is navigated as a tree, with a summary by an extension", async () => {
		await using on = await openFixture(
			{ steps: ["One.", "Two.", "Three."] },
			`pi.on("session_before_tree", ({ preparation }) => preparation.userWantsSummary ? { summary: { summary: "left " + preparation.entriesToSummarize.length } } : undefined);
			pi.on("session_tree", ({ summaryEntry, fromExtension }, ctx) => ctx.ui.notify("tree " + summaryEntry?.summary + " " + fromExtension));
			pi.registerCommand("back", { async handler(args, ctx) {
				const first = ctx.sessionManager.getBranch().find(({ type, message }) => type === "message" && message.role === "assistant");
				await ctx.navigateTree(first.id, { summarize: args === "sum", label: "here" });
			} });`,
		);
		const { rpc, tau } = on;
		for (const message of ["hello", "second"]) {
			const from = rpc.frames.length;
			await rpc.ask({ type: "prompt", message });
			await rpc.until(isEvent("agent_end"), from);
		}
		await rpc.ask({ type: "prompt", message: "/back sum" });
		expect(await rpc.until(request("notify"))).toMatchObject({ message: "tree left 2 true" });
		const from = rpc.frames.length;
		await rpc.ask({ type: "prompt", message: "third" });
		await rpc.until(isEvent("agent_end"), from);
		expect(said(tau, 2)).toMatch(/hello.*One\..*left 2.*third/);
		expect(said(tau, 2)).not.toContain("second");
	});

	test("is reloaded with the current code of its extensions", async () => {
		await using on = await openFixture(
			{ steps: [] },
			`pi.registerCommand("again", { handler: (_args, ctx) => ctx.reload() }); pi.on("session_start", ({ reason }, ctx) => ctx.ui.notify("one " + reason));`,
		);
		const { rpc, tau } = on;
		await rpc.until(request("notify"));
		writeFileSync(
			join(tau.home, "ext/test.ts"),
			`export default (pi) => { pi.on("session_start", ({ reason }, ctx) => ctx.ui.notify("two " + reason)); };`,
		);
		await rpc.ask({ type: "prompt", message: "/again" });
		expect(await rpc.until((frame) => frame.message === "two reload")).toBeDefined();
	});

	test.each(["--trust", "trust.json"])(
		"is reloaded without code that was written into a trusted project meanwhile (%s)",
		async (how) => {
			await using tau = await launch({ steps: [] });
			const file = join(tau.home, "again.ts");
			writeFileSync(
				file,
				`export default (pi) => { pi.registerCommand("again", { handler: (_args, ctx) => ctx.reload() }); pi.on("session_start", ({ reason }, ctx) => ctx.ui.notify("started " + reason)); };`,
			);
			mkdirSync(join(tau.home, ".tau/agent"), { recursive: true });
			const trusted = { projects: { [realpathSync(tau.project)]: true } };
			if (how !== "--trust") writeFileSync(join(tau.home, ".tau/agent/trust.json"), JSON.stringify(trusted));
			await using rpc = startRpc(tau, [...model, ...(how === "--trust" ? [how] : []), "-e", file]);
			await rpc.until(request("notify"));
			mkdirSync(join(tau.project, ".tau/extensions"), { recursive: true });
			writeFileSync(
				join(tau.project, ".tau/extensions/planted.ts"),
				`export default (pi) => { pi.on("session_start", (_, ctx) => ctx.ui.notify("planted")); };`,
			);
			await rpc.ask({ type: "prompt", message: "/again" });
			await rpc.until((frame) => frame.message === "started reload");
			await rpc.running.until(({ err }) => err.includes("planted.ts (new)"));
			expect(rpc.frames.filter((frame) => frame.message === "planted")).toEqual([]);
		},
	);
});

test("the user's commands run elsewhere if an extension says so", async () => {
	await using on = await openFixture(
		{ steps: ["Seen."] },
		`pi.on("user_bash", ({ command }) => command === "faked"
			? { result: { output: "made up", exitCode: 0, cancelled: false, truncated: false } }
			: { operations: { async exec(run, cwd, { onData }) { onData(Buffer.from("remote " + run)); return { exitCode: 7 }; } } });`,
	);
	expect(await on.rpc.ask({ type: "bash", command: "faked" })).toMatchObject({
		data: { output: "made up", exitCode: 0 },
	});
	expect(await on.rpc.ask({ type: "bash", command: "ls" })).toMatchObject({
		data: { output: "remote ls", exitCode: 7 },
	});
	await on.rpc.ask({ type: "prompt", message: "look" });
	await on.rpc.until(isEvent("agent_end"));
	expect(on.tau.played.requests[0]?.rawBody).toMatch(/made up.*remote ls/);
});

test("an extension ends the program when it is idle", async () => {
	await using on = await openFixture(
		{ steps: ["Last words."] },
		`pi.on("agent_start", (_event, ctx) => ctx.shutdown()); pi.on("session_shutdown", ({ reason }) => pi.appendEntry("bye", reason));`,
	);
	await on.rpc.ask({ type: "prompt", message: "go" });
	const { code, out } = await on.rpc.running.finished;
	expect(code).toBe(0);
	expect(out).toContain("Last words.");
});

test.each(["session_before_branch", "session_before_fork"])(
	"a fork keeps the whole conversation if a handler of %s says so",
	async (event) => {
		await using on = await openFixture(
			{ steps: ["One.", "Two.", "Three."] },
			`pi.on("${event}", ({ position }) => ({ skipConversationRestore: position === "before" }));`,
		);
		const { rpc, tau } = on;
		for (const message of ["alpha", "beta"]) {
			const seen = rpc.frames.length;
			await rpc.ask({ type: "prompt", message });
			await rpc.until(isEvent("agent_end"), seen);
		}
		const before = (await rpc.ask({ type: "get_state" })).data as { sessionFile: string };
		const forks = (await rpc.ask({ type: "get_fork_messages" })).data as { messages: { entryId: string }[] };
		const { entryId } = forks.messages[0] ?? {};
		expect(await rpc.ask({ type: "fork", entryId })).toMatchObject({ data: { cancelled: false } });
		const after = (await rpc.ask({ type: "get_state" })).data as {
			sessionFile: string;
			messageCount: number;
		};
		expect(after.messageCount).toBe(4);
		expect(after.sessionFile).not.toBe(before.sessionFile);
		const seen = rpc.frames.length;
		await rpc.ask({ type: "prompt", message: "gamma" });
		await rpc.until(isEvent("agent_end"), seen);
		expect(said(tau, 2)).toMatch(/alpha.*One\..*beta.*Two\..*gamma/);
		expect(readFileSync(after.sessionFile, "utf8")).toMatch(/alpha[^]*beta[^]*gamma/);
	},
);
