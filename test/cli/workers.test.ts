/** Worker processes of the compiled program in odd surroundings: they read a file all the same, and nothing else starts one. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { launch, root, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

let temporary = "";
beforeEach(() => void (temporary = mkdtempSync(join(tmpdir(), "tau-workers-"))));
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

const call = (name: string, args: Record<string, unknown>): Scenario["steps"][number] => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});
const searchCode = call("ast_grep", { pattern: "compute($A)", path: "code.ts" });
const readArchive = call("read", { path: "things.tar" });

/** An archive is read by a worker process; the model gets the names in it. */
function addArchive(tau: Launched): void {
	mkdirSync(join(temporary, "in"));
	writeFileSync(join(temporary, "in", "thing-one.txt"), "one");
	Bun.spawnSync([
		"tar",
		"-cf",
		join(tau.project, "things.tar"),
		"-C",
		join(temporary, "in"),
		"thing-one.txt",
	]);
}

/** A copy of the executable that may be deleted. */
async function executable(tau: Launched): Promise<string> {
	await tau.run(["--version"]);
	const copy = join(temporary, "tau");
	copyFileSync(join(root, "node_modules/.cache/tau/tau"), copy);
	chmodSync(copy, 0o755);
	return copy;
}

describe("a file is read although, while Tau runs, its executable is", () => {
	test.each([
		["deleted", 'rm "$OWN"'],
		["replaced by another program", 'cp /bin/false "$OWN.new" && mv "$OWN.new" "$OWN"'],
	])("%s", async (_, command) => {
		await using tau = await launch({ steps: [call("bash", { command }), readArchive, "Done."] });
		addArchive(tau);
		const own = await executable(tau);
		const child = Bun.spawn([own, "-p", "go", ...model], {
			cwd: tau.project,
			env: { ...tau.env, OWN: own },
			stdout: "pipe",
		});
		expect(await child.stdout.text()).toBe("Done.\n");
		expect(JSON.stringify(tau.played.requests[2]?.body)).toContain("thing-one.txt");
	});
});

describe("a file is read although the home directory", () => {
	test.each([
		["is missing", "/nonexistent/home"],
		["cannot be written", "/proc/1/task"],
	])("%s", async (_, home) => {
		await using tau = await launch({ steps: [readArchive, searchCode, "Done."] });
		addArchive(tau);
		writeFileSync(join(tau.project, "code.ts"), "const answer = compute(42);\n");
		const env = { HOME: home, TAU_CODING_AGENT_DIR: tau.agentDir };
		const { out, err } = await tau.run(["-p", "--no-session", "go", ...model], { env });
		expect({ out, err }).toEqual({ out: "Done.\n", err: "" });
		expect(JSON.stringify(tau.played.requests[1]?.body)).toContain("thing-one.txt");
		expect(JSON.stringify(tau.played.requests[2]?.body)).toContain("compute(42)");
	});
});

describe("TAU_WORKER does not turn Tau into a worker", () => {
	test.each(["sys", "tools", "constructor", ""])("when the user has set it to %p", async (role) => {
		await using tau = await launch({ steps: ["Here."] });
		const env = { TAU_WORKER: role };
		expect((await tau.run(["--version"], { env })).out).toMatch(/^\d+\.\d+/);
		expect((await tau.run(["-p", "hello", ...model], { env })).out).toBe("Here.\n");
	});

	test("when a project's .env sets it, also in a trusted project", async () => {
		await using tau = await launch({ steps: [readArchive, "Here."] });
		addArchive(tau);
		writeFileSync(join(tau.project, ".env"), "TAU_WORKER=sys\nTAU_EXTENSION_HOST=1\n");
		expect((await tau.run(["--trust", "-p", "hello", ...model])).out).toBe("Here.\n");
		expect(JSON.stringify(tau.played.requests[1]?.body)).toContain("thing-one.txt");
	});
});
