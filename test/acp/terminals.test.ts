/** The output of commands in terminals of the editor; the commands themselves stay in Tau's shell and sandbox. */
import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import type { EditorTerminal } from "./editor-terminals.ts";
import { call, openEditor } from "./editor.ts";

async function until(holds: () => boolean): Promise<void> {
	while (!holds()) await Bun.sleep(5);
}

test("the editor's terminal shows the output while the command runs, ends as it did, and is released", async () => {
	const command = "cd sub; echo one; until [ -e ../go ]; do sleep 0.02; done; echo two; (exit 3)";
	await using tau = await launch({
		steps: [call("bash", { command }), call("bash", { command: "pwd" }), "Done."],
	});
	writeFileSync(join(tau.project, "file"), "");
	await Bun.write(join(tau.project, "sub/here"), "");
	const terminals: EditorTerminal[] = [];
	await using editor = await openEditor(tau, { capabilities: { terminal: true }, terminals });
	const id = await editor.newSession();
	const prompt = editor.prompt(id, "go");
	await until(() => terminals[0]?.output.includes("one") === true);
	expect(terminals[0]).toMatchObject({ cwd: tau.project, isReleased: false, exitCode: undefined });
	writeFileSync(join(tau.project, "go"), "");
	expect(await prompt).toMatchObject({ stopReason: "end_turn" });
	await until(() => terminals[0]?.isReleased === true);
	expect(terminals[0]).toMatchObject({ output: expect.stringMatching(/^one\ntwo\n/), exitCode: 3 });
	const shown = editor.updates.filter((update) =>
		JSON.stringify(update).includes('"terminalId":"terminal-0"'),
	);
	expect(shown.at(-1)).toMatchObject({ sessionUpdate: "tool_call_update", status: "failed" });
	// What runs in the editor only reads: the command changed the directory of Tau's own shell.
	expect(terminals[0]?.command.join(" ")).not.toContain("echo");
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain(join(tau.project, "sub"));
});

test("an editor whose terminals fail, or that leaves meanwhile, is shown text, and nothing is left behind", async () => {
	const command = "echo one; until [ -e go ]; do sleep 0.02; done; echo two";
	await using tau = await launch({ steps: [call("bash", { command }), "Done."] });
	// It says that it has terminals, and has none.
	await using editor = await openEditor(tau, { capabilities: { terminal: true } });
	const id = await editor.newSession();
	const prompt = editor.prompt(id, "go");
	await editor.until(
		(update) => update.sessionUpdate === "tool_call_update" && JSON.stringify(update).includes("one"),
	);
	writeFileSync(join(tau.project, "go"), "");
	expect(await prompt).toMatchObject({ stopReason: "end_turn" });
	expect(JSON.stringify(editor.updates)).toContain("one\\ntwo");
	expect(await editor.leave()).toBe(0);
	const left = readdirSync(process.env["TMPDIR"] ?? "/tmp").filter((name) =>
		name.startsWith(`tau-shown-${editor.running.process.pid}-`),
	);
	expect(left).toEqual([]);
});
