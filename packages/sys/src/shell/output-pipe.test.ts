/** What a command prints arrives whole, whether it is read at its end or as it comes. */
import { expect, test } from "bun:test";

import { shellFixture } from "./testing/shell-fixture.ts";

const second = 1000;

test.each([0, 1, 65_536, 65_537, 3_000_000])("%d bytes of a command that ends at once", async (length) => {
	await using fixture = shellFixture();
	const { text, outcome } = await fixture.run(`head -c ${length} /dev/zero | tr '\\0' x`);
	expect(outcome.exitCode).toBe(0);
	expect(text).toBe("x".repeat(length));
});

test("each command gets the output of its own, also after one whose background process holds the pipe", async () => {
	await using fixture = shellFixture();
	expect((await fixture.run("echo first; sleep 30 &")).text).toBe("first\n");
	for (const word of ["second", "third", "fourth"])
		expect((await fixture.run(`echo ${word}`)).text).toBe(`${word}\n`);
});

test("whoever fails to handle the output of a short command fails its run", async () => {
	await using fixture = shellFixture();
	const running = fixture.session.run({
		command: "echo one",
		timeoutMs: 10 * second,
		signal: new AbortController().signal,
		onOutput() {
			throw new Error("no room");
		},
	});
	await expect(running).rejects.toThrow("no room");
	expect((await fixture.run("echo two")).text).toBe("two\n");
});

test("output is shown while the command runs", async () => {
	await using fixture = shellFixture();
	const shown = Promise.withResolvers<string>();
	const stopping = new AbortController();
	const running = fixture.session.run({
		command: "echo ready; sleep 30",
		timeoutMs: 60 * second,
		signal: stopping.signal,
		onOutput: (chunk) => shown.resolve(new TextDecoder().decode(chunk)),
	});
	expect(await shown.promise).toBe("ready\n");
	stopping.abort();
	expect((await running).stopped).toBe("abort");
});
