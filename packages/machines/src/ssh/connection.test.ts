/** A connection that was cut is made again, and leaves nothing behind on the other machine. */
import { expect } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { testSshd, type TestSshd } from "../../../../test/support/sshd.ts";
import { openSshMachine, type SshMachine } from "./machine.ts";

const overSsh = needs("/usr/sbin/sshd", "ssh");
const timeoutMs = 60_000;
const { signal } = new AbortController();

async function until(holds: () => boolean): Promise<void> {
	for (let waited = 0; !holds(); waited += 10) {
		if (waited > timeoutMs / 2) throw new Error("it did not happen");
		await Bun.sleep(10);
	}
}

async function connectTo(server: TestSshd): Promise<SshMachine> {
	const destination = { name: "box", host: "box" };
	return await openSshMachine({ destination, env: process.env, config: server.config }, server.work, signal);
}

overSsh(
	"a session leaves no directory on the other machine",
	async () => {
		await using sshd = await testSshd();
		const temporary = join(sshd.directory, "tmp");
		{
			await using box = await connectTo(sshd);
			const path = join(sshd.work, "new");
			const before = await box.machine.files.readText("new", path);
			if (!before.ok) throw new Error(before.reason);
			const changes = [{ before, after: { text: "x\n", hasBom: false } }];
			expect(await box.machine.files.commit(changes, { signal })).toMatchObject({ ok: true });
			expect(readFileSync(path, "utf8")).toBe("x\n");
			expect(readdirSync(temporary)).not.toEqual([]);
		}
		await until(() => readdirSync(temporary).length === 0);
	},
	timeoutMs,
);

overSsh(
	"a command that outlives its connection prints only its own output",
	async () => {
		await using sshd = await testSshd();
		await using box = await connectTo(sshd);
		await using session = box.machine.shell.session({ cwd: sshd.work, env: {} });
		const at = (name: string): string => join(sshd.work, name);
		const command = "echo one; touch runs; while [ ! -e go ]; do sleep 0.05; done; echo two";
		let output = "";
		const onOutput = (chunk: Uint8Array): void => void (output += Buffer.from(chunk).toString());
		const running = session.run({ command, timeoutMs, signal, onOutput });
		await until(() => existsSync(at("runs")) && output.includes("one"));
		sshd.dropConnections();
		await until(() => box.connection.state !== "connected");
		await until(() => box.connection.state === "connected");
		writeFileSync(at("go"), "");
		expect(await running).toMatchObject({ exitCode: 0 });
		expect(output).toBe("one\ntwo\n");
	},
	timeoutMs,
);

overSsh(
	"a server that is down for a moment is waited for, and one that stays down is named",
	async () => {
		await using sshd = await testSshd();
		await using box = await connectTo(sshd);
		writeFileSync(join(sshd.work, "a"), "x");
		await sshd.stop();
		await until(() => box.connection.state === "lost");
		const reading = box.machine.files.stat(join(sshd.work, "a"));
		// By the time these were refused, so was the first attempt, and one right after it.
		for (let round = 0; round < 4; round++)
			expect(await Bun.spawn(["ssh", "-F", sshd.config, "box", "true"], { stderr: "ignore" }).exited).toBe(
				255,
			);
		await sshd.start();
		expect(await reading).toMatchObject({ kind: "file", size: 1 });
		const elsewhere = { destination: { name: "box", host: "box" }, env: process.env, config: sshd.config };
		await sshd.stop();
		// The first connection of a session is tried once.
		await expect(openSshMachine(elsewhere, sshd.work, signal)).rejects.toThrow(
			/Cannot connect to box: .*refused/s,
		);
	},
	timeoutMs,
);
