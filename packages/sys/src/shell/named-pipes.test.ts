/** Pipes are made without a program, for this user alone; where they cannot be made, the error says why. */
import { expect, test } from "bun:test";
import { lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { makeNamedPipes } from "./named-pipes.ts";

test("only this user can open a pipe, whatever the umask", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-pipes-"));
	const before = process.umask(0o777);
	try {
		const paths = ["one", "twö"].map((name) => join(directory, name));
		await makeNamedPipes(paths);
		for (const path of paths) {
			const stats = lstatSync(path);
			expect({ isPipe: stats.isFIFO(), mode: stats.mode & 0o777 }).toEqual({ isPipe: true, mode: 0o600 });
		}
	} finally {
		process.umask(before);
		rmSync(directory, { recursive: true });
	}
});

needs("mkfifo")("a pipe that cannot be made is an error that says why", async () => {
	const path = join(tmpdir(), "tau-no-such-directory", "pipe");
	await expect(makeNamedPipes([path])).rejects.toThrow(
		/Cannot create a pipe for command output: .*tau-no-such/,
	);
});
