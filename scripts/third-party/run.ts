/**
 * Loads packages that others have written for pi in the real Tau, and runs the programs of others against Tau's gateway,
 * and says which of them work: `npm run third-party` for all, `-- NAME…` for some; `-- omp` shares rooms with the real
 * omp alone. They are installed from the npm registry, pinned, without running their scripts.
 */
import { launch, tauProgram } from "../../test/support/launch.ts";
import { isEvent, model, startRpc, type RpcProcess } from "../../test/rpc/rpc-process.ts";
import { installed } from "./install.ts";
import { ompPackage, showOmpRooms } from "./omp-rooms.ts";
import packages from "./packages.json" with { type: "json" };
import { tryProgram, programs } from "./programs.ts";

const turnMs = 60_000;

interface Outcome {
	problems: string[];
	commands: string[];
}

/** One turn in RPC mode, where everything that goes wrong is an event or a line on standard error. */
async function tried(directory: string): Promise<Outcome> {
	await using tau = await launch({ steps: ["Hello.", "Hello again."] });
	await using rpc = startRpc(tau, [...model, "-e", directory]);
	// Nobody is there to answer what they ask.
	answerNo(rpc).catch(() => {});
	const patience = setTimeout(() => rpc.running.process.kill("SIGKILL"), turnMs);
	try {
		const listed = (await rpc.ask({ type: "get_commands" })) as unknown as {
			data?: { commands: { name: string; source: string }[] };
		};
		await rpc.ask({ type: "prompt", message: "Hello" });
		await rpc.until(isEvent("agent_end"));
		const { err } = rpc.running.output();
		return {
			problems: [
				...err.split("\n").filter((line) => line.startsWith("tau:")),
				...rpc.frames.filter(isEvent("extension_error")).map((frame) => String(frame.error)),
			],
			commands: (listed.data?.commands ?? [])
				.filter(({ source }) => source === "extension")
				.map(({ name }) => `/${name}`),
		};
	} finally {
		clearTimeout(patience);
	}
}

const questions: ReadonlySet<unknown> = new Set(["select", "confirm", "input", "editor"]);

/** Until Tau ends, which `until` rejects with. */
async function answerNo(rpc: RpcProcess): Promise<never> {
	for (let after = 0; ;) {
		const question = await rpc.until(({ method }) => questions.has(method), after);
		after = rpc.frames.indexOf(question) + 1;
		rpc.write({ type: "extension_ui_response", id: question.id, cancelled: true });
	}
}

const asked = process.argv.slice(2);
let failed = 0;

async function show(name: string, version: string, attempt: () => Promise<Outcome>): Promise<void> {
	if (asked.length > 0 && !asked.some((part) => part !== "omp" && name.includes(part))) return;
	const { problems, commands } = await attempt().catch((error: Error): Outcome => ({
		problems: [error.message],
		commands: [],
	}));
	if (problems.length > 0) failed++;
	process.stdout.write(`${problems.length > 0 ? "✗" : "✓"} ${name}@${version} ${commands.join(" ")}\n`);
	for (const problem of problems) process.stdout.write(`    ${problem.slice(0, 400)}\n`);
}

// The first turn does not wait for the compiler.
Bun.spawnSync([tauProgram, "--version"]);
for (const [name, version] of Object.entries(packages))
	await show(name, version, async () => await tried(installed(name, version)));
for (const program of programs)
	await show(program.name, program.version, async () => await tryProgram(program));
if (asked.length === 0 || asked.includes("omp")) {
	const { name, version } = ompPackage;
	try {
		for (const seen of await showOmpRooms(installed(name, version)))
			process.stdout.write(`✓ ${name}@${version}: ${seen}\n`);
	} catch (error) {
		failed++;
		process.stdout.write(`✗ ${name}@${version}: ${String(error).slice(0, 4000)}\n`);
	}
}
process.stdout.write(failed === 0 ? "all work\n" : `${failed} with problems\n`);
process.exitCode = failed === 0 ? 0 : 1;
