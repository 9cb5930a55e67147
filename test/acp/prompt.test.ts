/** Tau inside an editor: a prompt is answered as it streams, and a tool call is shown and asked about. */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { asking, call, openEditor } from "./editor.ts";

test("an answer streams into the editor, and the prompt is answered when it is complete", async () => {
	await using tau = await launch({ steps: ["Hello from Tau."] });
	await using editor = await openEditor(tau);
	expect(editor.initialized).toMatchObject({
		protocolVersion: 1,
		agentInfo: { name: "tau", title: "Tau" },
		agentCapabilities: { loadSession: true, promptCapabilities: { image: true, embeddedContext: true } },
	});
	const id = await editor.newSession();
	const response = await editor.prompt(id, "hi");
	expect(response.stopReason).toBe("end_turn");
	expect(response.usage?.outputTokens).toBeGreaterThan(0);
	expect(editor.text()).toBe("Hello from Tau.");
	expect(await editor.leave()).toBe(0);
});

test("thoughts and texts of one answer have one id, and the next answer has another", async () => {
	await using tau = await launch({
		steps: [{ answer: { blocks: [{ thinking: "Hm." }, { text: "Yes." }] } }, "No."],
	});
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	await editor.prompt(id, "first");
	await editor.prompt(id, "second");
	const chunks = editor.updates.flatMap((update) =>
		"messageId" in update && "content" in update ? [update] : [],
	);
	expect(chunks).toMatchObject([
		{ sessionUpdate: "agent_thought_chunk", content: { text: "Hm." } },
		{ sessionUpdate: "agent_message_chunk", content: { text: "Yes." } },
		{ sessionUpdate: "agent_message_chunk", content: { text: "No." } },
	]);
	const [thought, text, next] = chunks.map(({ messageId }) => messageId);
	expect(thought).toBeString();
	expect(text).toBe(thought as string);
	expect(next).not.toBe(thought);
});

test("a command is asked about after its call is shown, with the whole command", async () => {
	await using tau = await launch({ steps: [call("bash", { command: "node -e 1 && touch made" }), "Done."] });
	await using editor = await openEditor(tau, { ...asking, permission: () => "once" });
	const id = await editor.newSession();
	expect(await editor.prompt(id, "go")).toMatchObject({ stopReason: "end_turn" });
	expect(existsSync(join(tau.project, "made"))).toBe(true);
	const [asked] = editor.permissions;
	expect(asked?.toolCall).toMatchObject({
		kind: "execute",
		rawInput: { command: "node -e 1 && touch made" },
		content: [
			{ type: "content", content: { type: "text", text: "```sh\n$ node -e 1 && touch made\n```" } },
			{},
		],
	});
	expect(asked?.options.map(({ kind }) => kind)).toContain("allow_always");
	expect(editor.order.indexOf("permission")).toBeGreaterThan(editor.order.indexOf("tool_call"));
	const ended = await editor.until(
		(update) => update.sessionUpdate === "tool_call_update" && update.status === "completed",
	);
	expect(ended).toMatchObject({ toolCallId: asked?.toolCall.toolCallId ?? "" });
});

test("an editor that draws terminals gets the output of a command piece by piece, and how it ended", async () => {
	await using tau = await launch({
		steps: [
			call("bash", { command: "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 3" }),
			"Done.",
		],
	});
	await using editor = await openEditor(tau, { capabilities: { _meta: { terminal_output: true } } });
	const id = await editor.newSession();
	const prompt = editor.prompt(id, "go");
	const shown = await editor.until((update) => update.sessionUpdate === "tool_call");
	expect(shown).toMatchObject({
		content: [{ type: "terminal" }],
		_meta: { terminal_info: { cwd: tau.project } },
	});
	await editor.until((update) => JSON.stringify(update._meta ?? {}).includes("one"));
	writeFileSync(join(tau.project, "go"), "");
	await prompt;
	const data = editor.updates.map(
		({ _meta }) => (_meta as { terminal_output?: { data: string } })?.terminal_output?.data ?? "",
	);
	expect(data.join("").match(/one|two/g)).toEqual(["one", "two"]);
	const ended = await editor.until(
		(update) => update.sessionUpdate === "tool_call_update" && update.status === "failed",
	);
	expect(ended).toMatchObject({ _meta: { terminal_exit: { exit_code: 3 } } });
});
