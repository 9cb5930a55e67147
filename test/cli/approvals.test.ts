/** Approvals in print mode, where nobody can answer: what is contained runs, the rest is refused with a way out. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

function call(name: string, args: Record<string, unknown>) {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

function touching(name: string) {
	return call("bash", { command: `touch ${name}` });
}

/** Nothing contains commands: neither a sandbox nor the machine that runs the tests. */
const open = { TAU_SANDBOX: "off", TAU_CONTAINER: "none" };

async function print(
	tau: Launched,
	args: readonly string[],
	env: Record<string, string> = open,
): ReturnType<Launched["run"]> {
	return await tau.run(["-p", "go", ...model, ...args], { env });
}

/** The result of the only call, as the model read it. */
function result(tau: Launched): string {
	return tau.played.requests[1]?.rawBody ?? "";
}

describe("without a boundary", () => {
	test("edits of the project and read-only commands run, other commands are refused with the rule that allows them", async () => {
		await using tau = await launch({
			steps: [
				call("write", { path: "a.txt", content: "a\n" }),
				call("bash", { command: "cat a.txt" }),
				call("bash", { command: "node -e 'require(`fs`).writeFileSync(`b.txt`, ``)'" }),
				"Done.",
			],
		});
		const { code, out, err } = await print(tau, ["--approval-mode", "auto"]);
		expect({ code, out }).toEqual({ code: 0, out: "Done.\n" });
		expect(readFileSync(join(tau.project, "a.txt"), "utf8")).toBe("a\n");
		expect(existsSync(join(tau.project, "b.txt"))).toBe(false);
		expect(err).toMatch(/bash was denied.*node runs code.*permissions\.allow, or run with --auto-approve/);
		expect(tau.played.requests[3]?.rawBody).toContain("nobody can answer here");
	});

	test("--approval-mode ask changes no file of the project", async () => {
		await using tau = await launch({ steps: [call("write", { path: "a.txt", content: "a\n" }), "Done."] });
		const { err } = await print(tau, ["--approval-mode", "ask"]);
		expect(err).toContain("write was denied");
		expect(existsSync(join(tau.project, "a.txt"))).toBe(false);
	});

	test("--auto-approve runs everything", async () => {
		await using tau = await launch({
			steps: [call("bash", { command: "node -e 1 && touch made" }), "Done."],
		});
		expect(await print(tau, ["--auto-approve"])).toMatchObject({ code: 0, err: "" });
		expect(existsSync(join(tau.project, "made"))).toBe(true);
	});

	test("a rule of Claude Code's user file allows a command; one of the project denies another, in full too", async () => {
		await using tau = await launch({
			steps: [call("bash", { command: "node -e 1" }), call("bash", { command: "touch made" }), "Done."],
		});
		mkdirSync(join(tau.home, ".claude"), { recursive: true });
		mkdirSync(join(tau.project, ".claude"));
		writeFileSync(join(tau.home, ".claude/settings.json"), `{"permissions":{"allow":["Bash(node:*)"]}}`);
		writeFileSync(join(tau.project, ".claude/settings.json"), `{"permissions":{"deny":["Bash(touch:*)"]}}`);
		await print(tau, ["--approval-mode", "ask"]);
		expect(result(tau)).not.toContain("was not run");
		expect(tau.played.requests[2]?.rawBody).toContain("the rule Bash(touch:*)");
		expect(existsSync(join(tau.project, "made"))).toBe(false);
	});
});

describe("in a container that was recognized", () => {
	const job = { TAU_SANDBOX: "off", TAU_CONTAINER: "", KUBERNETES_SERVICE_HOST: "10.0.0.1" };
	const line = /tau: Tau runs in \S.*, which counts as the boundary: commands, network, git push .*\./g;

	test("one line says so when the first command runs because of it, and standard output has none of it", async () => {
		const steps = [call("bash", { command: "ls" }), ...["a", "b"].map(touching), "Done."];
		await using tau = await launch({ steps });
		const { out, err } = await print(tau, [], job);
		expect(out).toBe("Done.\n");
		expect(err.match(line)).toHaveLength(1);
		expect(existsSync(join(tau.project, "b"))).toBe(true);
		await using other = await launch({ steps });
		const json = await print(other, ["--mode", "json"], job);
		expect(json.out).not.toContain("counts as the boundary");
		expect(json.err.match(line)).toHaveLength(1);
	});

	const silent: [why: string, args: string[], env: Record<string, string>, command: string][] = [
		["nothing needs the boundary", [], {}, "ls"],
		["the user has chosen the mode", ["--approval-mode", "auto"], {}, "touch a"],
		["the user has named the container", [], { TAU_CONTAINER: "mine" }, "touch a"],
	];
	test.each(silent)("nothing is said where %s", async (_why, args, env, command) => {
		await using tau = await launch({ steps: [call("bash", { command }), "Done."] });
		expect(await print(tau, args, { ...job, ...env })).toMatchObject({ code: 0, err: "" });
	});
});

needs("git")(
	"no command prepares the shell so that a later one runs something else",
	async () => {
		const tricks = [
			"alias ls='touch evil #'",
			"ls() { touch evil; }",
			'eval "ls() { touch evil; }"',
			"hash -p /usr/bin/touch ls",
			"export PATH=.:$PATH",
			"trap 'touch evil' DEBUG",
			"PROMPT_COMMAND='touch evil'",
			". ./rc",
			"export BASH_FUNC_ls%%='() { touch evil; }'",
			"command_not_found_handle() { touch evil; }",
			"printf -v PATH .",
			"read PATH <<< .",
			"mapfile -t PATH <<< .",
			"export LD_PRELOAD=./x.so",
			"export GIT_EXTERNAL_DIFF=./ls",
			"export PAGER=./ls",
			"coproc touch evil",
			"complete -C 'touch evil' ls; compgen -C 'touch evil' x",
			"[[ -v 'a[$(touch evil)]' ]]",
			"printf -v 'a[$(touch evil)]' x",
			"declare -n r='a[$(touch evil)]'; r=1",
			"unset 'a[$(touch evil)]'",
			"wait -p 'a[$(touch evil)]' -n",
			"x='$(touch evil)'; echo ${x@P}",
			"a='b[$(touch evil)]'; echo $((a))",
		];
		const after = "ls; pwd; git diff; nothing-of-that-name; cat rc";
		const commands = tricks.flatMap((trick) => [trick, after]);
		const steps = [...commands.map((command) => call("bash", { command })), "Done."];
		await using tau = await launch({ steps });
		writeFileSync(join(tau.project, "rc"), "touch evil\n");
		writeFileSync(join(tau.project, "ls"), "#!/bin/sh\ntouch evil\n", { mode: 0o755 });
		Bun.spawnSync(["git", "init", "-q"], { cwd: tau.project });
		expect(await print(tau, ["--approval-mode", "ask"])).toMatchObject({ code: 0, out: "Done.\n" });
		expect(tau.played.requests).toHaveLength(steps.length);
		expect(existsSync(join(tau.project, "evil"))).toBe(false);
	},
	180_000,
);

test("a search leaves out files that may not be read, and a command that names them does not run", async () => {
	await using tau = await launch({
		steps: [
			call("grep", { pattern: "passphrase" }),
			call("find", { pattern: "**/*.txt" }),
			call("bash", { command: "cat secrets/key.txt" }),
			"Done.",
		],
	});
	mkdirSync(join(tau.project, "secrets"));
	writeFileSync(join(tau.project, "secrets/key.txt"), "passphrase: open sesame\n");
	writeFileSync(join(tau.project, "notes.txt"), "the passphrase is elsewhere\n");
	writeFileSync(join(tau.agentDir, "config.yml"), "permissions:\n  deny: ['Read(./secrets/**)']\n");
	await print(tau, ["--auto-approve"]);
	const conversation = tau.played.requests[3]?.rawBody ?? "";
	expect(conversation).toContain("the passphrase is elsewhere");
	expect(conversation).not.toContain("open sesame");
	expect(conversation).not.toContain("key.txt\\n");
	expect(conversation).toContain("the rule Read(./secrets/**)");
});

test("plan mode reads and changes nothing", async () => {
	await using tau = await launch({
		steps: [call("write", { path: "a.txt", content: "a" }), call("bash", { command: "ls" }), "Planned."],
	});
	expect(await print(tau, ["--approval-mode", "plan"])).toMatchObject({
		code: 0,
		out: "Planned.\n",
		err: "",
	});
	expect(existsSync(join(tau.project, "a.txt"))).toBe(false);
	expect(result(tau)).toContain("plan mode, which is read-only");
	expect(tau.played.requests[2]?.rawBody).not.toContain("bash was not run");
});

test("a project cannot switch off the rules of the user", async () => {
	await using tau = await launch({ steps: [call("bash", { command: "touch made" }), "Done."] });
	mkdirSync(join(tau.home, ".claude"), { recursive: true });
	mkdirSync(join(tau.project, ".tau"));
	writeFileSync(join(tau.home, ".claude/settings.json"), `{"permissions":{"deny":["Bash(touch:*)"]}}`);
	writeFileSync(join(tau.project, ".tau/config.yml"), "discovery:\n  disabled: [claude]\n");
	await print(tau, ["--auto-approve"]);
	expect(result(tau)).toContain("the rule Bash(touch:*)");
	expect(existsSync(join(tau.project, "made"))).toBe(false);
});

test("plan mode is not escaped by odd headers, addresses, names or repositories", async () => {
	const patch = "*** Begin Patch\n  *** Add File: made\n+x\n*** End Patch";
	await using tau = await launch({
		steps: [
			call("edit", { input: patch }),
			call("write", { path: "_://../made", content: "x" }),
			call("write", { path: "a\n/../made", content: "x" }),
			call("bash", { command: "cd bare && git status" }),
			call("bash", { command: "sleep 0 & wait -p PATH" }),
			"Planned.",
		],
	});
	for (const name of ["objects", "refs"]) mkdirSync(join(tau.project, "bare", name), { recursive: true });
	writeFileSync(join(tau.project, "bare/HEAD"), "ref: refs/heads/main\n");
	const touch = `touch ${join(tau.project, "made")}`;
	writeFileSync(join(tau.project, "bare/config"), `[core]\n\tworktree = ..\n\tfsmonitor = "${touch}"\n`);
	const { code, out } = await print(tau, ["--approval-mode", "plan"]);
	expect({ code, out }).toEqual({ code: 0, out: "Planned.\n" });
	expect(existsSync(join(tau.project, "made"))).toBe(false);
	const refusals = tau.played.requests.at(-1)?.rawBody.match(/plan mode, which is read-only/g);
	expect(refusals?.length).toBe(5);
});

test("the model cannot change Tau's settings, the project's or Git's hooks, whatever the project allows", async () => {
	await using tau = await launch({
		steps: [
			call("write", { path: ".tau/config.yml", content: "tools: { approvalMode: full }" }),
			call("write", { path: ".git/hooks/pre-commit", content: "#!/bin/sh" }),
			call("bash", { command: "echo 'tools: {}' > ~/.tau/agent/config.yml" }),
			"Done.",
		],
	});
	await print(tau, ["--approval-mode", "auto"]);
	expect(existsSync(join(tau.project, ".tau/config.yml"))).toBe(false);
	expect(existsSync(join(tau.project, ".git/hooks/pre-commit"))).toBe(false);
	expect(tau.played.requests[3]?.rawBody).toContain("Tau's own configuration");
});

test("--auto-approve cannot be combined with another mode, and omp's names are understood", async () => {
	await using tau = await launch({ steps: [call("bash", { command: "node -e 1 && touch made" }), "Done."] });
	const both = await print(tau, ["--auto-approve", "--approval-mode", "ask"]);
	expect(both).toMatchObject({ code: 2 });
	expect(both.err).toContain("--auto-approve and --approval-mode ask cannot be combined.");
	await print(tau, ["--yolo"]);
	expect(existsSync(join(tau.project, "made"))).toBe(true);
});
