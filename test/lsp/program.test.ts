/** Language servers through the program: formatting, trust, agents that share them, and no server that outlives Tau. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, type Launched } from "../support/launch.ts";
import { scripted } from "../support/lsp/scripted.ts";
import { isRunning } from "../support/processes.ts";

const model = ["--model", "played/played-1"];

function call(name: string, args: Record<string, unknown>) {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

function configure(
	{ agentDir, project }: Launched,
	modes: string[],
	more: Record<string, unknown> = {},
): void {
	const config = { lsp: { servers: scripted(...modes), ...more } };
	// JSON is YAML, too.
	writeFileSync(join(agentDir, "config.yml"), JSON.stringify(config));
	writeFileSync(join(project, "a.tst"), "one  two\n");
}

const hover = { action: "hover", path: "a.tst", line: 1 };
const pidsIn = (file: string): number[] =>
	existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];

test("a written file is formatted, and the model sees what has changed", async () => {
	await using tau = await launch({
		steps: [
			call("lsp", hover),
			call("edit", { path: "a.tst", edits: [{ oldText: "two", newText: "2   ERROR" }] }),
			"Done.",
		],
		// On a busy machine the errors follow later, as a note that the model answers, too.
		fallback: { answer: "Done." },
	});
	configure(tau, ["formats", "pull"], { formatOnWrite: true });
	expect(await tau.run(["-p", "go", ...model])).toMatchObject({ code: 0 });
	expect(readFileSync(join(tau.project, "a.tst"), "utf8")).toBe("one 2 ERROR\n");
	const last = tau.played.requests.at(-1)?.rawBody ?? "";
	expect(last).toContain("scripted formatted a.tst:");
	expect(last).toContain("+one 2 ERROR");
});

test("in an untrusted project that nothing contains, no server starts", async () => {
	await using tau = await launch({
		steps: [call("lsp", hover), call("write", { path: "a.tst", content: "ERROR\n" }), "Done.", "Done."],
	});
	const pids = join(tau.home, "pids");
	configure(tau, [`pids=${pids}`, "pull"]);
	const env = { TAU_CONTAINER: "none", TAU_SANDBOX: "off" };
	await tau.run(["-p", "go", "--approval-mode", "yolo", ...model], { env });
	expect(tau.played.requests[1]?.rawBody).toContain("It is not trusted, and nothing contains them");
	expect(pidsIn(pids)).toEqual([]);
});

test("a server ends with Tau, also when Tau is killed", async () => {
	await using tau = await launch({
		steps: [call("lsp", hover), { fault: { silent: true } }],
	});
	const pids = join(tau.home, "pids");
	configure(tau, [`pids=${pids}`, "stays"]);
	const running = tau.start(["-p", "go", ...model]);
	await until(() => tau.played.requests.length > 1);
	const [pid = 0] = pidsIn(pids);
	expect(isRunning(pid)).toBe(true);
	running.process.kill("SIGKILL");
	await running.finished;
	await until(() => !isRunning(pid));
});

test("an agent uses the servers of the session", async () => {
	await using tau = await launch({
		steps: [
			call("lsp", hover),
			call("task", { tasks: [{ assignment: "look" }] }),
			call("lsp", hover),
			"Looked.",
			"Done.",
			"Done.",
		],
	});
	const pids = join(tau.home, "pids");
	configure(tau, [`pids=${pids}`]);
	await tau.run(["-p", "go", ...model]);
	const answers = tau.played.requests.filter(({ rawBody }) => rawBody.includes("knows nothing"));
	expect(answers.length).toBeGreaterThanOrEqual(3);
	expect(pidsIn(pids)).toHaveLength(1);
});

async function until(isTrue: () => boolean): Promise<void> {
	const end = Date.now() + 60_000;
	while (!isTrue()) {
		if (Date.now() > end) throw new Error("it did not happen");
		await Bun.sleep(20);
	}
}
