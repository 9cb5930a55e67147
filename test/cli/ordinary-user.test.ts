/** The compiled program for an ordinary user: every tool, shell and sandbox, with and without bubblewrap. */
// takes 23 s
import { renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, setDefaultTimeout } from "bun:test";

import type { Scenario } from "@tau/ai/testing";
import { sandboxSupport } from "@tau/machines/sandbox";

import {
	copyCompiled,
	launchAsUser,
	removeCopies,
	sandboxVariants,
	user,
	type UserOptions,
} from "../support/as-user.ts";
import type { Launched } from "../support/launch.ts";

// The first test may have to compile.
setDefaultTimeout(240_000);
afterAll(removeCopies);

const model = ["--model", "played/played-1"];
const { kind } = await sandboxSupport({ TAU_BWRAP: "/nonexistent/bwrap" }, tmpdir());
const variants = sandboxVariants(kind === "landlock" ? [] : ["Linux 6.2 with Landlock"]);
const homes = [
	{ home: "a home of their own", hasReadOnlyHome: false },
	{ home: "a read-only home", hasReadOnlyHome: true },
];

type Step = Scenario["steps"][number];

function call(name: string, args: object): Exclude<Step, string> {
	return { answer: { blocks: [{ toolCall: { name, arguments: { ...args } } }] } };
}
const bash = (command: string, more: object = {}): Exclude<Step, string> =>
	call("bash", { command, ...more });

interface Block {
	type?: string;
	is_error?: boolean;
}

/** The results of the calls, in their order. */
function results(tau: Launched): { isError: boolean; text: string }[] {
	const { messages } = JSON.parse(tau.played.requests.at(-1)?.rawBody ?? "{}") as {
		messages: { content: string | Block[] }[];
	};
	return messages
		.flatMap(({ content }) => (typeof content === "string" ? [] : content))
		.filter(({ type }) => type === "tool_result")
		.map((block) => ({ isError: block.is_error === true, text: JSON.stringify(block) }));
}

const python: [step: Step, expected: string] = [call("eval", { language: "python", code: "20 + 1" }), "21"];

/** What each call does, and what its result has to contain. */
const work: [step: Step, expected: string][] = [
	[bash("id -u; echo one > bash.txt"), `${user}`],
	[bash("echo job > job.txt", { async: true }), ""],
	[bash("until [ -e job.txt ]; do sleep 0.05; done; cat job.txt"), "job"],
	[bash('mkdir -p "$XDG_CACHE_HOME" && touch "$XDG_CACHE_HOME/x" && echo cached'), "cached"],
	[call("write", { path: "made.txt", content: "alpha\nbeta\n" }), "made.txt"],
	[call("grep", { pattern: "beta", path: "." }), "made.txt"],
	[call("edit", { path: "made.txt", edits: [{ oldText: "beta", newText: "gamma" }] }), "made.txt"],
	[call("read", { path: "made.txt" }), "gamma"],
	[call("eval", { language: "js", code: "40 + 2" }), "42"],
	...(Bun.which("python3") === null ? [] : [python]),
	[bash("cat made.txt"), "gamma"],
];

describe.each(variants)("$name", ({ env, isLandlock, test }) => {
	describe.each(homes)("and $home", ({ hasReadOnlyHome }) => {
		const options: UserOptions = { env, hasReadOnlyHome };

		test("every tool works", async () => {
			await using tau = await launchAsUser({ steps: work.map(([step]) => step), fallback: "Done." }, options);
			expect(await tau.run(["-p", "go", ...model])).toMatchObject({ code: 0 });
			const done = results(tau);
			for (const [at, [, expected]] of work.entries()) {
				expect(done[at]?.text).toContain(expected);
				expect(done[at]).toMatchObject({ isError: false });
			}
		});

		test("tau sandbox, tau shell and the shell of a client run commands", async () => {
			await using tau = await launchAsUser({ steps: [] }, options);
			const inside = await tau.run(["sandbox", "--", "sh", "-c", "id -u; echo x > /usr/x || exit 3"]);
			expect(inside).toMatchObject({ code: 3, out: `${user}\n` });
			expect((await tau.run(["shell", "-c", "id -u"])).out).toBe(`${user}\n`);
			const rpc = tau.start(["--mode", "rpc", ...model], { stdin: "pipe" });
			request(rpc, { id: 1, type: "bash", command: "echo client $(id -u)" });
			await rpc.until(({ out }) => out.includes(`client ${user}`));
			endInput(rpc);
			expect(await rpc.finished).toMatchObject({ code: 0 });
		});
	});

	test("plan mode reads, and writes nothing", async () => {
		const steps = [bash("cat plan.txt; id -u"), bash("touch denied"), "Done."];
		await using tau = await launchAsUser({ steps }, { env });
		await Bun.write(join(tau.project, "plan.txt"), "the plan\n");
		const args = ["-p", "go", "--approval-mode", "plan", ...model];
		expect(await tau.run(args)).toMatchObject({ code: 0, out: "Done.\n" });
		const [read, write] = results(tau);
		expect(read).toMatchObject({ isError: false, text: expect.stringContaining("the plan") });
		expect(write).toMatchObject({ isError: true });
		expect(await Bun.file(join(tau.project, "denied")).exists()).toBe(false);
	});

	test("an agent works in a tree of its own, and its search sees the tree", async () => {
		const errand = { bodyContains: '"the errand"' };
		const steps = [
			{
				when: { bodyContains: "please delegate" },
				...call("task", { tasks: [{ name: "A", assignment: "the errand" }] }),
			},
			{ when: errand, ...bash("echo needle > new.txt") },
			{ when: errand, ...call("grep", { pattern: "needle", path: "." }) },
		];
		await using tau = await launchAsUser({ steps, fallback: "Done." }, { env });
		await Bun.write(join(tau.agentDir, "config.yml"), "task:\n  isolation:\n    mode: auto\n");
		await Bun.write(join(tau.project, "old.txt"), "needle\n");
		expect(await tau.run(["-p", "please delegate", ...model])).toMatchObject({ code: 0, out: "Done.\n" });
		const searched = tau.played.requests
			.map(({ rawBody }) => rawBody)
			.find((body) => body.includes("1:needle"));
		expect(searched).toContain("new.txt");
		expect(searched).toContain("old.txt");
		expect(await Bun.file(join(tau.project, "new.txt")).text()).toBe("needle\n");
	});

	test("tau doctor tries the sandbox, and finds no fault in one that works", async () => {
		await using tau = await launchAsUser({ steps: [] }, { env });
		const { problems } = JSON.parse((await tau.run(["doctor", "--mode", "json"])).out);
		const found = problems.filter(({ area }: { area: string }) => area === "sandbox");
		// A bubblewrap that is not installed is reported with the other programs.
		const isReported = isLandlock && Bun.which("bwrap") !== null;
		expect(found).toEqual(
			isReported
				? [expect.objectContaining({ problem: expect.stringContaining("Landlock: bubblewrap") })]
				: [],
		);
	});

	test("commands run after an update has replaced the executable", async () => {
		const executable = copyCompiled();
		await using tau = await launchAsUser({ steps: [] }, { env, executable });
		const rpc = tau.start(["--mode", "rpc", ...model], { stdin: "pipe" });
		request(rpc, { id: 1, type: "bash", command: "echo first; exec true" });
		await rpc.until(({ out }) => out.includes('"id":1') && out.includes("first"));
		renameSync(executable, `${executable}-old`);
		request(rpc, { id: 2, type: "bash", command: "echo second $(id -u)" });
		await rpc.until(({ out }) => out.includes(`second ${user}`));
		endInput(rpc);
		expect(await rpc.finished).toMatchObject({ code: 0 });
	});
});

type Rpc = ReturnType<Launched["start"]>;

function inputOf({ process: { stdin } }: Rpc): Bun.FileSink {
	if (stdin === undefined || typeof stdin === "number") throw new Error("It has no input.");
	return stdin;
}

function request(rpc: Rpc, message: object): void {
	const input = inputOf(rpc);
	void input.write(`${JSON.stringify(message)}\n`);
	void input.flush();
}

function endInput(rpc: Rpc): void {
	void inputOf(rpc).end();
}
