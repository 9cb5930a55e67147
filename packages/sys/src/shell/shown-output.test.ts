/** A command's output in a terminal of another program, which only reads it. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";

import { ShownOutput } from "./shown-output.ts";

test("the other terminal shows the output as it comes, and ends as the command did", async () => {
	const shown = await ShownOutput.open();
	const { command, args } = shown.program;
	const terminal = Bun.spawn([command, ...args], { stdout: "pipe" });
	const reader = terminal.stdout.getReader();
	shown.write("first\n");
	const { value } = await reader.read();
	expect(Buffer.from(value ?? []).toString()).toBe("first\n");
	shown.write("x".repeat(200_000));
	shown.end(3);
	let rest = 0;
	for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value.length;
	expect([rest, await terminal.exited]).toEqual([200_000, 3]);
	await shown[Symbol.asyncDispose]();
	expect(existsSync(args.at(-1) ?? "")).toBe(false);
});

test("a terminal that never reads, or is closed, holds up nothing", async () => {
	const unread = await ShownOutput.open();
	for (let part = 0; part < 100; part++) unread.write("x".repeat(100_000));
	unread.end(0);
	await unread[Symbol.asyncDispose]();
	const stopped = await ShownOutput.open();
	const halted = Bun.spawn([stopped.program.command, ...stopped.program.args], { stdout: "ignore" });
	halted.kill("SIGSTOP");
	for (let part = 0; part < 5; part++) stopped.write("x".repeat(100_000));
	await stopped[Symbol.asyncDispose]();
	halted.kill("SIGKILL");
	const closed = await ShownOutput.open();
	const terminal = Bun.spawn([closed.program.command, ...closed.program.args], { stdout: "ignore" });
	closed.write("text");
	terminal.kill("SIGKILL");
	await terminal.exited;
	closed.write("more");
	closed.end(0);
	await closed[Symbol.asyncDispose]();
	expect(existsSync(closed.program.args.at(-1) ?? "")).toBe(false);
});

test("regression: what opens the pipe late does not wait forever", async () => {
	const all = Array.from({ length: 20 }, async () => {
		const shown = await ShownOutput.open();
		const again = 'while echo opens; cat "$1/output"; do :; done';
		const late = Bun.spawn(["sh", "-c", again, "tau", shown.program.args.at(-1) ?? ""], {
			stdout: "pipe",
			stderr: "ignore",
			timeout: 30_000,
		});
		shown.end(0);
		const decoder = new TextDecoder();
		let text = "";
		for await (const chunk of late.stdout) {
			text += decoder.decode(chunk, { stream: true });
			// The first reader has ended, and the next one finds a pipe without a writer.
			if (text === "opens\nopens\n") await shown[Symbol.asyncDispose]();
		}
		await late.exited;
		return late.signalCode;
	});
	expect(new Set(await Promise.all(all))).toEqual(new Set([null]));
});
