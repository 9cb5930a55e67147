/** Records which functions a session uses, in order, for the layout of the executable's bytecode (scripts/release/executable.ts). */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";

import { homeFor, modelName, tau, type Home } from "../bench/home.ts";
import { Program } from "../bench/program.ts";
import { prose } from "../bench/prose.ts";
import { writeUncompactedSession } from "../bench/uncompacted-session.ts";
import { openCompany } from "../test/soak/company.ts";
import { soak } from "../test/soak/soak.ts";
import { recordedOrders } from "./release/executable.ts";

/** Each kind of work of the soak four times, and a compaction. */
const longTurns = 70;

/** One word, because words may be drawn one by one. */
const end = "endmark";

/** What most sessions do: commands, files, and an answer in Markdown. */
const session: Scenario = {
	steps: [
		call("bash", { command: "echo one > a.txt; ls" }),
		call("read", { path: "a.txt" }),
		call("write", { path: "b.txt", content: "two\n" }),
		call("grep", { pattern: "two" }),
		{ answer: { blocks: [{ text: `${prose(4000)}\n\n${end}`, chunks: 100 }], delayMs: 5 } },
	],
	fallback: { answer: `Yes. ${end}` },
};

function call(name: string, args: Record<string, unknown>): Scenario["steps"][number] {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

/** Records one run; workers that it starts write files of their own. */
async function record(run: (env: Record<string, string>) => Promise<number>): Promise<string> {
	const directory = mkdtempSync(join(tmpdir(), "tau-order-"));
	try {
		const pid = await run({ BUN_BYTECODE_ORDER_OUT: join(directory, "%p") });
		return readFileSync(join(directory, String(pid)), "utf8");
	} finally {
		rmSync(directory, { recursive: true });
	}
}

/** A run of what most sessions do. */
function short(run: (home: Home, env: Record<string, string>) => Promise<number>) {
	return async (env: Record<string, string>): Promise<number> => {
		await using played = await playModel(session);
		using home = homeFor(played);
		return await run(home, { ...home.env, TAU_NO_TITLE: "1", ...env });
	};
}

async function interactive({ project }: Home, env: Record<string, string>): Promise<number> {
	await using program = new Program({ command: [tau, "--model", modelName], cwd: project, env });
	await program.untilTyped("zqzq");
	await program.keyMs();
	await program.send("\x15go");
	await program.until(end);
	program.forget();
	await program.send("more");
	await program.until(end);
	// An empty prompt and Ctrl+D.
	program.type("\x15\x04");
	await program.exited;
	return program.pid;
}

/** The terminal with a session that is long enough to be counted and drawn in parts. */
async function resume({ project }: Home, env: Record<string, string>): Promise<number> {
	const path = join(project, "resumed.jsonl");
	writeUncompactedSession(path, project, { messages: 400, megabytes: 1 });
	const command = [tau, "--model", modelName, "--session", path];
	await using program = new Program({ command, cwd: project, env });
	await program.until(modelName.split("/")[1] ?? "");
	await program.untilTyped("zqzq");
	await program.keyMs();
	program.type("\x15\x04");
	await program.exited;
	return program.pid;
}

async function print({ project }: Home, env: Record<string, string>): Promise<number> {
	const child = Bun.spawn([tau, "-p", "go", "--model", modelName], {
		cwd: project,
		env: { ...process.env, ...env },
		stdin: "ignore",
		stdout: "ignore",
	});
	if ((await child.exited) !== 0) throw new Error("the print run failed");
	return child.pid;
}

/** A day with all tools, other clients, a browser and a guest, whose code would else lie scattered: 6 MB more of it. */
async function long(env: Record<string, string>): Promise<number> {
	let pid = 0;
	await soak({
		turns: longTurns,
		every: longTurns,
		open: async (launched, temporary) => {
			await using owned = new AsyncDisposableStack();
			const driver = owned.use(
				await openCompany({ ...launched, env: { ...launched.env, ...env } }, temporary),
			);
			({ pid } = driver);
			// Killed, it would not write what it has recorded.
			owned.defer(async () => {
				process.kill(pid, "SIGTERM");
				while (existsSync(`/proc/${pid}`)) await Bun.sleep(20);
			});
			const all = owned.move();
			return {
				pid,
				request: (command) => driver.request(command),
				nextEnd: () => driver.nextEnd(),
				[Symbol.asyncDispose]: () => all.disposeAsync(),
			};
		},
	});
	return pid;
}

/**
 * Without the strings and the functions that are merely known: they are nine tenths of the file, and without them an
 * interactive process maps 0.3 MB more.
 */
function essential(recorded: string): string {
	return recorded
		.split("\n")
		.filter((line) => /^(?:v\d|[FMN] )/.test(line))
		.join("\n")
		.concat("\n");
}

const runs = { interactive: short(interactive), print: short(print), resume: short(resume), long };
for (const path of recordedOrders) {
	const name = basename(path, ".order");
	const run = Object.entries(runs).find(([each]) => each === name)?.[1];
	if (!run) throw new Error(`nothing records ${path}`);
	const order = essential(await record(run));
	writeFileSync(path, order);
	process.stdout.write(`${path}: ${order.split("\n").length} lines\n`);
}
