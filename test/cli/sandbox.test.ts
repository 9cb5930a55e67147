/** The model's commands run in a sandbox, and what it denies is said to the model and to the user. */
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";

import type { Scenario } from "@tau/ai/testing";
import { sandboxSupport } from "@tau/machines/sandbox";
import { listProcesses } from "@tau/sys";

import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

const model = ["--model", "played/played-1"];
const sandboxed = needs("bwrap", "nsenter");
const withoutBubblewrap = { TAU_BWRAP: "/nowhere/bwrap" };
const { kind } = await sandboxSupport(withoutBubblewrap, tmpdir());
const landlock = kind === "landlock" ? [] : ["Linux 6.2 with Landlock"];
const confined = needs(...landlock);
const outside = `/usr/tau-${crypto.randomUUID()}`;

function bash(command: string): Scenario["steps"][number] {
	return { answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } };
}

sandboxed("a command of the model cannot write outside the project, and the model learns why", async () => {
	await using tau = await launch({ steps: [bash(`echo inside > file; touch ${outside}`), "done"] });
	const { code, out } = await tau.run(["-p", "go", ...model, "--sandbox", "required"]);
	expect({ code, out }).toEqual({ code: 0, out: "done\n" });
	expect(existsSync(join(tau.project, "file"))).toBe(true);
	expect(existsSync(outside)).toBe(false);
	const result = JSON.stringify(tau.played.requests.at(-1));
	expect(result).toContain(`${outside} is read-only`);
});

sandboxed("a required sandbox that is missing runs no command, and says what to install", async () => {
	await using tau = await launch({ steps: [bash("touch ran"), "done"] });
	const env = { TAU_BWRAP: "/nowhere/bwrap", TAU_LANDLOCK: "0" };
	await tau.run(["-p", "go", ...model, "--sandbox", "required"], { env });
	expect(existsSync(join(tau.project, "ran"))).toBe(false);
	expect(JSON.stringify(tau.played.requests.at(-1))).toContain("bubblewrap is not installed");
});

confined(
	"without bubblewrap a required sandbox is Landlock, and the model learns what was denied",
	async () => {
		const command = `echo inside > file; touch ${outside}; getent hosts example.org || echo Could not resolve host`;
		await using tau = await launch({ steps: [bash(command), bash("echo $TMPDIR > second"), "done"] });
		const { code, out } = await tau.run(["-p", "go", ...model, "--sandbox", "required"], {
			env: withoutBubblewrap,
		});
		expect({ code, out }).toEqual({ code: 0, out: "done\n" });
		expect(readFileSync(join(tau.project, "file"), "utf8")).toBe("inside\n");
		expect(readFileSync(join(tau.project, "second"), "utf8")).toContain("/tau-sandbox-");
		expect(existsSync(outside)).toBe(false);
		const result = JSON.stringify(tau.played.requests.at(-1));
		expect(result).toContain(`${outside} is read-only`);
		expect(result).toContain("there is no network");
	},
);

confined(
	"tau sandbox runs a command in Landlock, and --explain says what that does not contain",
	async () => {
		await using tau = await launch({ steps: [] });
		const env = withoutBubblewrap;
		const words = ["sandbox", "--", "sh", "-c", "echo x > ok; echo x > /usr/x; pwd; exit 3"];
		const { code, out, err } = await tau.run(words, { env });
		expect({ code, out }).toEqual({ code: 3, out: `${tau.project}\n` });
		expect(err).toContain("Permission denied");
		expect(existsSync(join(tau.project, "ok"))).toBe(true);
		const { out: explained } = await tau.run(["sandbox", "--explain"], { env });
		expect(explained).toContain("Sandbox: Landlock");
		expect(explained).toContain("bubblewrap is not installed");
		expect(explained).toContain("Other processes are visible");
	},
);

sandboxed("a project can require the sandbox, and cannot switch it off", async () => {
	await using tau = await launch({ steps: [bash(`touch ran ${outside}`), "done"] });
	writeFileSync(join(tau.agentDir, "config.yml"), "sandbox:\n  mode: required\n");
	await Bun.write(join(tau.project, ".tau/config.yml"), "sandbox:\n  mode: off\n");
	// Without the variable that tests have.
	await tau.run(["-p", "go", ...model], { env: { TAU_SANDBOX: "" } });
	expect(existsSync(join(tau.project, "ran"))).toBe(true);
	expect(existsSync(outside)).toBe(false);
});

sandboxed("tau sandbox runs a command inside and exits as it does", async () => {
	await using tau = await launch({ steps: [] });
	const { code, out, err } = await tau.run(["sandbox", "--", "sh", "-c", "touch ok /usr/x; pwd; exit 3"]);
	expect(code).toBe(3);
	expect(out).toBe(`${tau.project}\n`);
	expect(err).toContain("Read-only file system");
	expect(existsSync(join(tau.project, "ok"))).toBe(true);
});

sandboxed("tau sandbox --explain shows what is writable, hidden and reachable", async () => {
	await using tau = await launch({ steps: [] });
	await Bun.write(join(tau.home, ".ssh/id"), "key");
	writeFileSync(join(tau.agentDir, "config.yml"), "sandbox:\n  network:\n    allow: [registry.npmjs.org]\n");
	const { out } = await tau.run(["sandbox", "--explain"]);
	expect(out).toContain("Sandbox: bubblewrap");
	expect(out).toContain("~/.ssh");
	expect(out).toContain("Network: registry.npmjs.org");
	const { out: json } = await tau.run(["sandbox", "--explain", "--json"]);
	expect(JSON.parse(json)).toMatchObject({ cwd: tau.project, hosts: ["registry.npmjs.org"] });
});

sandboxed(
	"nothing inside outlives a Tau that was killed, not even a daemon without environment",
	async () => {
		const mark = `tau-inside-${crypto.randomUUID()}`;
		const command = `(setsid env -i bash -c 'trap "" TERM; exec -a ${mark} sleep 300' >/dev/null 2>&1 &); sleep 300`;
		await using tau = await launch({ steps: [bash(command), "done"] });
		const running = tau.start(["-p", "go", ...model, "--sandbox", "required"]);
		await until(() => isRunning(mark));
		running.process.kill("SIGKILL");
		await until(() => !isRunning(mark));
		expect(isRunning(mark)).toBe(false);
		await running.finished;
	},
);

function isRunning(name: string): boolean {
	const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
	return pids.some((pid) => {
		try {
			return readFileSync(`/proc/${pid}/cmdline`, "latin1").startsWith(name);
		} catch {
			return false;
		}
	});
}

async function until(condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!condition() && performance.now() < deadline) await Bun.sleep(20);
}

test("tau sandbox without a command says what it needs", async () => {
	await using tau = await launch({ steps: [] });
	const { code, err } = await tau.run(["sandbox"]);
	expect(code).toBe(2);
	expect(err).toContain("needs a command");
});

const planted =
	"mv .git moved; git init -q .; git config core.fsmonitor ./evil; echo exit > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";

/** What git would run outside after a command has exchanged the repository. */
async function plants(run: (tau: Awaited<ReturnType<typeof launch>>) => Promise<unknown>): Promise<string[]> {
	await using tau = await launch({ steps: [bash(planted), "done"] });
	Bun.spawnSync(["git", "init", "-q", "."], { cwd: tau.project });
	await run(tau);
	const config = readFileSync(join(tau.project, ".git/config"), "utf8");
	const hook = Bun.spawnSync(["test", "-x", ".git/hooks/pre-commit"], { cwd: tau.project });
	return [...(config.includes("evil") ? ["setting"] : []), ...(hook.exitCode === 0 ? ["hook"] : [])];
}

/** Whether a process works in this directory. */
function startedIn(pid: number, directory: string): boolean {
	try {
		return readlinkSync(`/proc/${pid}/cwd`) === directory;
	} catch {
		// It has ended.
		return false;
	}
}

for (const [name, wanted, env] of [
	["bubblewrap", needs("bwrap", "nsenter", "git"), {}],
	["Landlock", needs("git", ...landlock), withoutBubblewrap],
] as const) {
	wanted(`${name}: a repository that a command of tau sandbox exchanged runs nothing outside`, async () => {
		expect(await plants((tau) => tau.run(["sandbox", "--", "sh", "-c", planted], { env }))).toEqual([]);
	});

	wanted(
		`${name}: what a command of tau sandbox leaves behind ends with it, and changes nothing afterwards`,
		async () => {
			await using tau = await launch({ steps: [] });
			Bun.spawnSync(["git", "init", "-q", "."], { cwd: tau.project });
			const loop = "while :; do echo x > .git/hooks/pre-commit; date +%N > beat; done";
			const command = `(env -i PATH="$PATH" setsid sh -c '${loop}' >/dev/null 2>&1 &); until [ -s beat ]; do :; done`;
			const { code, err } = await tau.run(["sandbox", "--", "sh", "-c", command], { env });
			expect([code, err]).toEqual([0, ""]);
			expect(existsSync(join(tau.project, ".git/hooks/pre-commit"))).toBe(false);
			const left = listProcesses().filter(({ pid }) => startedIn(pid, tau.project));
			expect(left).toEqual([]);
		},
	);

	wanted(`${name}: a repository that a command of the model exchanged runs nothing outside`, async () => {
		expect(await plants((tau) => tau.run(["-p", "go", ...model, "--sandbox", "required"], { env }))).toEqual(
			[],
		);
	});
}
