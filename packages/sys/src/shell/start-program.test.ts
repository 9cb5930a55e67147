/** Programs that stay open: a protocol over their input and outputs works, and nothing of them outlives its owner. */
import { expect, test } from "bun:test";
import { tmpdir } from "node:os";

import { startProgram } from "./start-program.ts";
import { alive, until } from "./testing/shell-fixture.ts";

const env = { PATH: process.env.PATH ?? "" };
const start = (...command: [string, ...string[]]) => startProgram({ command, cwd: tmpdir(), env });

async function firstLine(stream: AsyncIterable<Buffer>): Promise<string> {
	let text = "";
	for await (const chunk of stream) {
		text += chunk.toString();
		if (text.includes("\n")) break;
	}
	return text.split("\n", 1)[0] ?? "";
}

test("answers on its output, and exits when its input ends", async () => {
	await using program = await start("sh", "-c", 'while read -r line; do echo "got $line"; done; exit 3');
	program.input.write("one\n");
	expect(await firstLine(program.output)).toBe("got one");
	program.input.end();
	expect(await program.exited).toEqual({ exitCode: 3 });
});

test("disposal ends a program that ignores the end of its input, and its background processes", async () => {
	const program = await start(
		"sh",
		"-c",
		"trap '' TERM; sleep 300 & echo $! >&2; while :; do sleep 300; done",
	);
	const child = Number(await firstLine(program.errors));
	expect(alive([child])).toEqual([child]);
	await program[Symbol.asyncDispose]();
	await until("its processes are gone", () => alive([child, program.pid]).length === 0);
	expect((await program.exited).killedBy).toBe("SIGKILL");
});

test("one that cannot be started is named, with the reason", async () => {
	await expect(start("/no/such/program")).rejects.toThrow(
		`Cannot start /no/such/program: there is no such program, or no directory ${tmpdir()}.`,
	);
	await expect(start("/etc/passwd")).rejects.toThrow(
		"Cannot start /etc/passwd: /etc/passwd is not executable.",
	);
});
