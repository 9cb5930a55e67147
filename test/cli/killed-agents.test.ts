/** After `kill -9` of Tau while agents work in trees of their own: nothing runs on, and all of their work is found. */
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

const modes = ["overlay", "worktree"] as const;
const agents = ["First", "Second", "Third"];
const assignmentOf = (name: string, mode: string): string => `errand of ${name} in an ${mode}.`;

let tau: Launched;
beforeAll(async () => {
	const tasks = modes.map((mode): Step => ({
		when: { bodyContains: `work in ${mode}s` },
		answer: {
			blocks: [
				{
					toolCall: {
						name: "task",
						arguments: { tasks: agents.map((name) => ({ name, assignment: assignmentOf(name, mode) })) },
					},
				},
			],
		},
	}));
	// The last one is killed before it has changed anything.
	const steps = modes.flatMap((mode) =>
		agents.map((name): Step => {
			const write = name === "Third" ? "" : `echo ${name} > ${mode}-${name}.txt; `;
			const command = `${write}: > "$READY/${mode}-${name}"; sleep 300`;
			return {
				when: { bodyContains: `"${assignmentOf(name, mode)}"` },
				answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
			};
		}),
	);
	tau = await launch({ steps: [...steps, ...tasks], fallback: "Done." });
	writeFileSync(join(tau.project, "a.txt"), "old\n");
	if (Bun.which("git") === null) return;
	git("init", "-q");
	git("-c", "user.name=a", "-c", "user.email=a@b.c", "add", ".");
	git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "first");
});
afterAll(() => tau[Symbol.asyncDispose]());

function git(...args: string[]): string {
	const { stdout, exitCode } = Bun.spawnSync(["git", ...args], { cwd: tau.project });
	expect(exitCode).toBe(0);
	return stdout.toString();
}

/** The files of all processes, as far as they live. */
function processFiles(file: string): string[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map((pid) => {
			try {
				return readFileSync(`/proc/${pid}/${file}`, "latin1");
			} catch {
				// It has ended meanwhile.
				return "";
			}
		});
}

async function until(what: string, condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!condition()) {
		if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
		await Bun.sleep(20);
	}
}

const trees = (): string => join(tau.home, ".tau/state/trees");
const left = (): string[] => (existsSync(trees()) ? readdirSync(trees()) : []);

async function killed(mode: string): Promise<void> {
	const marker = `killed-${crypto.randomUUID()}`;
	const ready = join(tau.home, `ready-${mode}`);
	mkdirSync(ready);
	writeFileSync(join(tau.agentDir, "config.yml"), `task:\n  isolation:\n    mode: ${mode}\n`);
	const env = { TAU_TEST_MARKER: marker, READY: ready };
	const args = ["-p", "--trust", `work in ${mode}s`, "--model", "played/played-1"];
	const running = tau.start(args, { env });
	await until("all agents work", () => {
		if (running.process.exitCode !== null) throw new Error("it ended before all agents worked");
		return readdirSync(ready).length === agents.length;
	});
	running.process.kill("SIGKILL");
	await running.process.exited;
	await until("no process is left", () => !processFiles("environ").some((text) => text.includes(marker)));
	// A process that is ending has its mounts longer than its environment.
	await until("no mount is left", () => !processFiles("mountinfo").some((text) => text.includes(trees())));
	expect(readdirSync(tau.project).filter((name) => name.startsWith(mode))).toEqual([]);
	const doctor = await tau.run(["doctor"]);
	for (const name of ["First", "Second"]) expect(doctor.out).toMatch(new RegExp(`  \\w+ +${name} +${mode} `));
	for (const id of left()) await tau.run(["trees", "merge", id]);
	for (const name of ["First", "Second"])
		expect(readFileSync(join(tau.project, `${mode}-${name}.txt`), "utf8")).toBe(`${name}\n`);
	expect(left()).toEqual([]);
	expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
	// The session is not locked by the one that was killed.
	expect(await tau.run(["-p", "--continue", "--model", "played/played-1", "go on"])).toMatchObject({
		code: 0,
		out: "Done.\n",
	});
}

for (const mode of modes)
	needs(
		"git",
		"unshare",
		"/proc/self/mountinfo",
		...(mode === "overlay" ? ["overlay"] : []),
	)(`${mode}: no process, mount or lock stays, and tau doctor finds the work`, () => killed(mode), 90_000);
