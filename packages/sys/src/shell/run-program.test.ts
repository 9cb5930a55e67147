/** A program gets its input, its two outputs are read separately, and its end ends all of its processes. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { listProcesses } from "../process/index.ts";
import { runProgram, type ProgramRun } from "./run-program.ts";

interface Ran {
	out: string;
	err: string;
	outcome: Awaited<ReturnType<typeof runProgram>>;
}

async function run(command: ProgramRun["command"], more: Partial<ProgramRun> = {}): Promise<Ran> {
	const out: Buffer[] = [];
	const err: Buffer[] = [];
	const outcome = await runProgram({
		command,
		cwd: tmpdir(),
		env: { PATH: process.env.PATH ?? "" },
		input: "",
		timeoutMs: 60_000,
		signal: new AbortController().signal,
		onOutput: (chunk) => void out.push(Buffer.from(chunk)),
		onError: (chunk) => void err.push(Buffer.from(chunk)),
		...more,
	});
	return { out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString(), outcome };
}

test("it reads its input to the end, and its two outputs are separate", async () => {
	const { out, err, outcome } = await run("cat; echo wrong >&2; exit 3", { input: "hello\n" });
	expect({ out, err, code: outcome.exitCode }).toEqual({ out: "hello\n", err: "wrong\n", code: 3 });
});

test("arguments reach a program unchanged, whatever a shell would make of them", async () => {
	const { out } = await run(["printf", "%s|", "$(id)", "a b", "*"]);
	expect(out).toBe("$(id)|a b|*|");
});

test("a program that does not read a long input does no harm", async () => {
	const { outcome } = await run("exit 0", { input: "x".repeat(1024 * 1024) });
	expect(outcome.exitCode).toBe(0);
});

test("all output arrives, also a megabyte right before the end", async () => {
	const { out } = await run("head -c 1048576 /dev/zero | tr '\\0' x");
	expect(out.length).toBe(1024 * 1024);
});

test("a background process does not delay the end", async () => {
	const { out, outcome } = await run("sleep 1000 & echo $!");
	expect(outcome.exitCode).toBe(0);
	const left = Number(out);
	expect(listProcesses().some(({ pid }) => pid === left)).toBe(true);
	process.kill(left, "SIGKILL");
});

test("a missing program is reported", async () => {
	await expect(run(["/no/such/program"])).rejects.toThrow("Cannot start it");
	const gone = mkdtempSync(join(tmpdir(), "tau-program-"));
	rmSync(gone, { recursive: true });
	await expect(run("true", { cwd: gone })).rejects.toThrow(gone);
});

test("a timeout and an abort end a program with its children", async () => {
	const late = await run("sleep 1000 & sleep 1000", { timeoutMs: 50 });
	expect(late.outcome).toMatchObject({ stopped: "timeout" });
	const controller = new AbortController();
	const { out, outcome } = await run("echo $$; sleep 1000 & echo $!; wait", {
		signal: controller.signal,
		onOutput: () => controller.abort(),
	});
	expect({ out, stopped: outcome.stopped }).toEqual({ out: "", stopped: "abort" });
	const already = await run("echo never", { signal: controller.signal });
	expect(already).toMatchObject({ out: "", outcome: { stopped: "abort" } });
});
