/** The program. What needs no work is answered before anything else is loaded. */
import { version } from "@tau/utils";

const argv = process.argv.slice(2);
const [first] = argv;

// Only pi-shims.ts sets this, for processes that extensions start.
const host = process.env.TAU_EXTENSION_HOST === undefined ? undefined : await import("./script.ts");

// Pools of worker processes start `tau worker <role>` with the role in this variable; either alone means nothing.
const role = process.env.TAU_WORKER;

if (!Bun.isMainThread) {
	(await import("./watch/thread.ts")).watchMainThread();
} else if (role !== undefined && first === "worker" && argv.length === 2 && argv[1] === role) {
	compileAsUsual();
	await (await import("./worker.ts")).work(role);
} else if (first === "worker" && argv.length === 3 && isLaunch(argv[1], argv[2])) {
	await (await import("./worker.ts")).work("landlock");
} else if (argv.length === 1 && (first === "--version" || first === "-v")) {
	// Node's streams, which `process.stdout` loads, would take half of the time.
	console.log(version);
} else if (host?.isScript(first)) {
	compileAsUsual();
	await host.runScript(first);
} else {
	const { run } = await import("./run.ts");
	process.exitCode = await run(argv);
}

/** The executable starts with an engine that compiles late (scripts/release/executable.ts): right for a session, not for work. */
function compileAsUsual(): void {
	Bun.unsafe.setJITPolicy(1);
}

/** The variables of a program that starts in Landlock are its own, so that the file says what this process is for. */
function isLaunch(name: string | undefined, file = ""): boolean {
	return name === "landlock" && /^\/.+\/launch-\d+\.json$/.test(file);
}
