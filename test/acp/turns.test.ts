/** The life of a prompt in an editor: steered, cancelled in every phase, failed, and run as a command. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { methods, type RequestError, type SessionUpdate } from "@agentclientprotocol/sdk/unstable";

import { launch, withoutRetries, type Launched } from "../support/launch.ts";
import { asking, call, openEditor, type Editor } from "./editor.ts";

const { session } = methods.agent;

function isCall(update: SessionUpdate): boolean {
	return update.sessionUpdate === "tool_call_update" && update.status === "in_progress";
}

async function cancel(editor: Editor, sessionId: string): Promise<void> {
	await editor.agent.notify(session.cancel, { sessionId });
}

test("a second prompt during a run steers it; both are answered at its end, and nothing is lost", async () => {
	await using tau = await launch({
		steps: [call("bash", { command: "while [ ! -e go ]; do sleep 0.05; done" })],
		fallback: "Both heard.",
	});
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	const first = editor.prompt(id, "first");
	await editor.until(isCall);
	// Neither the history nor a copy is made of a session in the middle of a turn.
	const before = editor.updates.length;
	const named = { sessionId: id, cwd: tau.project, mcpServers: [] };
	const refusal = (work: Promise<unknown>): Promise<string> =>
		work.then(String, ({ code, message }: RequestError) => `${code} ${message}`);
	expect(await refusal(editor.agent.request(session.load, named))).toContain("is running");
	expect(await refusal(editor.agent.request(session.fork, named))).toContain(
		`ACP session fork is unavailable while a prompt is in progress: ${id}`,
	);
	expect(
		editor.updates.slice(before).filter(({ sessionUpdate }) => sessionUpdate.startsWith("user_message")),
	).toEqual([]);
	const second = editor.prompt(id, "second thought");
	await Bun.write(join(tau.project, "go"), "");
	expect((await Promise.all([first, second])).map(({ stopReason }) => stopReason)).toEqual([
		"end_turn",
		"end_turn",
	]);
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("second thought");
});

interface Phase {
	name: string;
	steps: Parameters<typeof launch>[0]["steps"];
	options?: Parameters<typeof openEditor>[1];
	reached(editor: Editor, tau: Launched): Promise<unknown>;
}

const phases: Phase[] = [
	{
		name: "before the model answers",
		steps: [{ fault: { silent: true } }],
		reached: (_, tau) => tau.played.waitForRequest(1),
	},
	{
		name: "while the answer streams",
		steps: [{ answer: { blocks: [{ text: "word ".repeat(400), chunks: 400 }], delayMs: 20 } }],
		reached: (editor) => editor.until((update) => update.sessionUpdate === "agent_message_chunk"),
	},
	{
		name: "while a command runs",
		steps: [call("bash", { command: "sleep 60" })],
		reached: (editor) => editor.until(isCall),
	},
	{
		name: "while the user is asked",
		steps: [call("bash", { command: "node -e 1" })],
		options: asking,
		reached: async (editor) => {
			while (editor.permissions.length === 0) await editor.until(isCall).then(() => Bun.sleep(1));
		},
	},
];

test.each(phases)(
	"a prompt is cancelled $name, and the next one is answered",
	async ({ steps, options, reached }) => {
		await using tau = await launch({ steps: [...steps, "Next."] });
		await using editor = await openEditor(tau, options);
		const id = await editor.newSession();
		const prompt = editor.prompt(id, "go");
		await reached(editor, tau);
		await cancel(editor, id);
		expect(await prompt).toMatchObject({ stopReason: "cancelled" });
		const before = editor.updates.length;
		expect(await editor.prompt(id, "again")).toMatchObject({ stopReason: "end_turn" });
		expect(
			editor.updates.slice(before).some((update) => update.sessionUpdate === "agent_message_chunk"),
		).toBe(true);
		expect(editor.text()).toEndWith("Next.");
	},
);

test("cancel ends a command that does not want to end, and the session takes the next prompt", async () => {
	const stubborn = "trap '' TERM INT; touch waits; while :; do sleep 0.05; done";
	await using tau = await launch({ steps: [call("bash", { command: stubborn }), "Next."] });
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	const prompt = editor.prompt(id, "go");
	while (!existsSync(join(tau.project, "waits"))) await Bun.sleep(5);
	await cancel(editor, id);
	expect(await prompt).toMatchObject({ stopReason: "cancelled" });
	await editor.until((update) => update.sessionUpdate === "tool_call_update" && update.status === "failed");
	expect(await editor.prompt(id, "again")).toMatchObject({ stopReason: "end_turn" });
});

test("a call that was cancelled does not stay open in the editor", async () => {
	await using tau = await launch({ steps: [call("bash", { command: "sleep 60" }), "Next."] });
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	const prompt = editor.prompt(id, "go");
	const running = await editor.until(isCall);
	await cancel(editor, id);
	await prompt;
	await editor.until(
		(update) =>
			update.sessionUpdate === "tool_call_update" &&
			update.status === "failed" &&
			"toolCallId" in running &&
			update.toolCallId === running.toolCallId,
	);
});

test("how a turn ends is said in the protocol's words", async () => {
	await using tau = await launch({
		steps: [
			{ answer: { blocks: [{ text: "no" }], stopReason: "refusal" } },
			{ fault: { http: 401 } },
			{ fault: { http: 400, body: { error: { message: "wrong" } } } },
		],
	});
	withoutRetries(tau);
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	expect(await editor.prompt(id, "b")).toMatchObject({ stopReason: "refusal" });
	const failed = (text: string): Promise<RequestError> =>
		editor.prompt(id, text).then(
			() => {
				throw new Error("answered");
			},
			(error: RequestError) => error,
		);
	expect((await failed("c")).code).toBe(-32000);
	expect((await failed("d")).code).toBe(-32603);
});

test("slash commands are offered with their arguments, run, and reply in the conversation", async () => {
	await using tau = await launch({ steps: ["Hello."] });
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	const offered = await editor.until((update) => update.sessionUpdate === "available_commands_update");
	expect(JSON.stringify(offered)).toContain('{"name":"model","description"');
	expect(await editor.prompt(id, "/name A good name")).toMatchObject({ stopReason: "end_turn" });
	expect(await editor.until((update) => update.sessionUpdate === "session_info_update")).toMatchObject({
		title: "A good name",
	});
	expect(await editor.prompt(id, "/cost")).toMatchObject({ stopReason: "end_turn" });
	expect(editor.text()).not.toBe("");
	expect(tau.played.requests).toHaveLength(0);
});

test("a name that expands to a prompt is sent to the model, and not back to the editor, which shows what was typed", async () => {
	await using tau = await launch({ steps: ["Hello, world."] });
	mkdirSync(join(tau.agentDir, "prompts"), { recursive: true });
	writeFileSync(join(tau.agentDir, "prompts/greet.md"), "Say hello to $1 in one line.");
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	expect(await editor.prompt(id, "/greet world")).toMatchObject({ stopReason: "end_turn" });
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("Say hello to world in one line.");
	expect(editor.updates.some((update) => update.sessionUpdate === "user_message_chunk")).toBe(false);
});

test("the todo list is the plan of the editor, and each turn says what it has used", async () => {
	await using tau = await launch({
		steps: [
			call("todo", { ops: [{ op: "init", list: [{ phase: "Build", items: ["parse", "print"] }] }] }),
			{ answer: "Done.", times: "always" },
		],
	});
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	await editor.prompt(id, "plan it");
	expect(await editor.until((update) => update.sessionUpdate === "plan")).toMatchObject({
		entries: [
			{ content: "parse", status: "in_progress" },
			{ content: "print", status: "pending" },
		],
	});
	const usage = await editor.until((update) => update.sessionUpdate === "usage_update");
	expect(usage).toMatchObject({ cost: { currency: "USD" } });
	expect(existsSync(tau.project)).toBe(true);
});
