/**
 * Loads packages that others have written for pi in the real Tau, and says which of them come up: `npm run third-party`
 * for all, `-- NAME…` for some; `-- omp` shares rooms with the real omp. They are installed from the npm registry, pinned, without running their scripts.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, root } from "../../test/support/launch.ts";
import { isEvent, model, startRpc, type RpcProcess } from "../../test/rpc/rpc-process.ts";
import { ompPackage, showOmpRooms } from "./omp-rooms.ts";
import packages from "./packages.json" with { type: "json" };

const cache = join(root, "node_modules/.cache/third-party");
const installMs = 600_000;
const turnMs = 60_000;

interface Outcome {
	problems: string[];
	commands: string[];
}

/** Gives the directory of the package; throws what npm said. */
function installed(name: string, version: string): string {
	const directory = join(cache, `${name}@${version}`.replace("/", "__"));
	const made = join(directory, "node_modules", name);
	if (existsSync(made)) return made;
	const draft = `${directory}.${process.pid}.tmp`;
	mkdirSync(draft, { recursive: true });
	writeFileSync(join(draft, "package.json"), `{ "private": true }\n`);
	const quiet = ["--ignore-scripts", "--omit=dev", "--legacy-peer-deps", "--no-audit", "--no-fund"];
	const { success, stderr } = Bun.spawnSync(["npm", "install", ...quiet, `${name}@${version}`], {
		cwd: draft,
		timeout: installMs,
		stdout: "ignore",
		stderr: "pipe",
	});
	if (success) renameSync(draft, directory);
	else rmSync(draft, { recursive: true, force: true });
	if (!success) throw new Error(`npm could not install it: ${stderr.toString().trim().split("\n").at(-2)}`);
	return made;
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
				.map(({ name }) => name),
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
for (const [name, version] of Object.entries(packages)) {
	if (asked.length > 0 && !asked.some((part) => part !== "omp" && name.includes(part))) continue;
	const outcome = await Promise.resolve()
		.then(() => tried(installed(name, version)))
		.catch((error: Error): Outcome => ({ problems: [error.message], commands: [] }));
	const { problems, commands } = outcome;
	if (problems.length > 0) failed++;
	const shown = commands.map((command) => `/${command}`).join(" ");
	process.stdout.write(`${problems.length > 0 ? "✗" : "✓"} ${name}@${version} ${shown}\n`);
	for (const problem of problems) process.stdout.write(`    ${problem.slice(0, 400)}\n`);
}
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
process.stdout.write(failed === 0 ? "all loaded\n" : `${failed} with problems\n`);
process.exitCode = failed === 0 ? 0 : 1;
