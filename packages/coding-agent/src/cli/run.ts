/** Runs what the command line asks for and returns the exit code. */
import { checkHome, NothingChosen, UsageError, version, log, mark, span, ownWrite, dirs } from "@tau/utils";

import { type Args, rejectOtherName } from "./args.ts";
import { printError } from "./print-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { commands } from "./command-table.ts";
import { isInteractive } from "./launch/is-interactive.ts";
import { limits } from "./limits.ts";
import { readArgs } from "./read-args.ts";
import { applyRunFlags } from "./run-flags.ts";
import { closeMemory, hideKeys } from "./hide-keys.ts";

export async function run(argv: readonly string[]): Promise<number> {
	endOnUncaught();
	hideKeys(argv);
	const code = await outcomeOf(argv);
	endSoon(code);
	return code;
}

/** Cleanup is complete: work that an extension left running, such as a timer, must not block the shell. */
function endSoon(code: number): void {
	const end = (): void => {
		// A slow reader still receives all of the output.
		if (process.stdout.writableLength > 0) endSoon(code);
		else process.exit(code);
	};
	setTimeout(end, limits.lingerMs).unref();
}

async function outcomeOf(argv: readonly string[]): Promise<number> {
	try {
		return await dispatch(await readArgs(argv));
	} catch (error) {
		if (error instanceof UsageError) {
			printError(error.message);
			return error instanceof NothingChosen ? exitCodes.interrupted : exitCodes.usage;
		}
		// By its name: the package that it is from is not loaded for every command.
		if (error instanceof Error && /^(?:Credential|Broker)Error$/.test(error.name)) {
			printError(error.message);
			return exitCodes.failed;
		}
		log.error("unexpected failure", {
			reason: String(error),
			stack: error instanceof Error ? error.stack : "",
		});
		printError(`unexpected failure: ${error instanceof Error ? error.message : String(error)}`);
		return exitCodes.failed;
	}
}

const fleet: Readonly<Record<string, (args: Args) => Promise<number>>> = {
	task: async (args) => (await import("./commands/task.ts")).runTask(args),
	worker: async (args) => (await import("./commands/worker.ts")).runWorkerCommand(args),
};

/** Each command loads only the modules that it needs. */
const runners: Readonly<Record<string, (args: Args) => Promise<number>>> = {
	login: async (args) => (await import("./commands/auth/login.ts")).runLogin(args),
	logout: async (args) => (await import("./commands/auth/logout.ts")).runLogout(args),
	config: async (args) => (await import("./commands/config/command.ts")).runConfig(args),
	sessions: async (args) => (await import("./commands/sessions/command.ts")).runSessions(args),
	grep: async (args) => (await import("./commands/grep/command.ts")).runGrep(args),
	shell: async (args) => (await import("./commands/shell.ts")).runShellCommand(args),
	sandbox: async (args) => (await import("./commands/sandbox.ts")).runSandbox(args),
	commit: async (args) => (await import("./commands/commit.ts")).runCommit(args),
	review: async (args) => (await import("./commands/review.ts")).runReview(args),
	completion: async (args) => (await import("./commands/completion/command.ts")).runCompletion(args),
	setup: async (args) => (await import("./commands/setup/command.ts")).runSetup(args),
	memory: async (args) => (await import("./commands/memory.ts")).runMemory(args),
	trees: async (args) => (await import("./commands/trees.ts")).runTrees(args),
	doctor: async (args) => (await import("./commands/doctor/command.ts")).runDoctor(args),
	acp: async (args) => {
		countProcess();
		void closeMemory();
		return (await import("./launch/serve-acp.ts")).serveAcp(args);
	},
	mcp: async (args) => {
		countProcess();
		void closeMemory();
		return (await import("./commands/mcp/command.ts")).runMcp(args);
	},
	plugin: async (args) => (await import("./commands/plugin/command.ts")).runPlugin(args),
	install: (args) => pluginAlias(args),
	remove: (args) => pluginAlias(args),
	uninstall: (args) => pluginAlias(args),
	list: (args) => pluginAlias(args),
	update: async (args) => (await import("./commands/update/command.ts")).runUpdate(args, version),
	attach: async (args) => (await import("./commands/attach/command.ts")).runAttach(args),
	join: async (args) => (await import("./commands/join.ts")).runJoin(args),
	ps: async (args) => (await import("./commands/ps.ts")).runPs(args),
	schedule: async (args) => (await import("./commands/schedule.ts")).runSchedule(args),
	...fleet,
	daemon: async (args) => (await import("./commands/daemon.ts")).runDaemonCommand(args),
	"auth-gateway": async (args) => (await import("./commands/gateway/command.ts")).runGateway(args),
	relay: async (args) => (await import("./commands/relay.ts")).runRelay(args),
	"auth-broker": async (args) => (await import("./commands/auth-broker/command.ts")).runAuthBroker(args),
	web: async (args) => (await import("./commands/web.ts")).runWeb(args),
	share: async (args) => (await import("./commands/share.ts")).runShare(args),
	stats: async (args) => (await import("./commands/stats.ts")).runStats(args),
	cassette: async (args) => (await import("./commands/cassette/make.ts")).runCassette(args),
	bug: async (args) => (await import("./commands/cassette/bug.ts")).runBug(args),
	replay: async (args) => (await import("./commands/cassette/replay.ts")).runReplay(args),
	auth: async (args) => (await import("./commands/auth/status.ts")).runAuthStatus(args),
};

async function pluginAlias(args: Args): Promise<number> {
	return (await import("./commands/plugin/command.ts")).runPluginAlias(args);
}

/** `tau --help`, `tau help`, `tau login --help`, `tau help login`. */
async function showHelp({ command: word, operands }: Args): Promise<number> {
	const topic = word === "help" ? operands[0] : word;
	if (topic !== undefined) rejectOtherName(topic);
	const command = commands.find(({ name }) => name === topic);
	if (topic !== undefined && !command) throw new UsageError(`Unknown command "${topic}". See tau --help.`);
	const { commandHelp, helpColumns, helpText } = await import("./help.ts");
	const width = helpColumns(process.stdout.columns);
	ownWrite(process.stdout)(command?.takes ? commandHelp(command, width) : helpText(version, width));
	return exitCodes.answered;
}

async function dispatch(args: Args): Promise<number> {
	if (args.flags.has("help") || args.command === "help") return showHelp(args);
	if (args.flags.has("version") || args.command === "version") {
		ownWrite(process.stdout)(`${version}\n`);
		return exitCodes.answered;
	}
	checkHome();
	await applyRunFlags(args);
	const command = runners[args.command ?? args.flags.get("mode") ?? ""];
	if (command) return command(args);
	if (args.flags.has("detach")) return (await import("./commands/detach.ts")).runDetach(args);
	if (args.flags.has("list-models"))
		return (await import("./commands/models/list-models.ts")).listModels(args);
	if (args.flags.has("export")) return (await import("./commands/sessions/export.ts")).runExport(args);
	mark("command line read");
	countProcess();
	void closeMemory();
	const worktree = args.flags.get("worktree");
	if (worktree === undefined) return runSession(args);
	const leave = await (await import("./worktree.ts")).enterWorktree(args, worktree);
	try {
		return await runSession(args);
	} finally {
		await leave();
	}
}

async function runSession(args: Args): Promise<number> {
	if (process.env.TAU_DETACHED !== undefined) {
		const { runDetached } = await import("./launch/run-detached.ts");
		return runDetached(args);
	}
	if (isInteractive(args)) {
		if (args.flags.has("output-schema")) throw new UsageError("--output-schema is for print mode (-p).");
		const { runInteractive } = await span("load the screen", () => import("./launch/run-interactive.ts"));
		return runInteractive(args);
	}
	const { launch } = await span("load the program", () => import("./launch/launch.ts"));
	return launch(args);
}

/** Counted in the environment, which extensions and commands pass on to the processes of Tau that they start. */
function countProcess(): void {
	const depth = Number(process.env.TAU_PROCESS_DEPTH) || 0;
	if (depth >= limits.processDepth)
		throw new UsageError(
			`${limits.processDepth} processes of Tau have started one another, which looks like an extension or a command that starts tau without end. If it is meant, unset TAU_PROCESS_DEPTH where tau is started.`,
		);
	process.env.TAU_PROCESS_DEPTH = String(depth + 1);
}

const uncaughtEvents = ["uncaughtException", "unhandledRejection"] as const;

/**
 * Ends the program on an uncaught error: Bun would print it and wait forever for the rest of the program.
 * Applies until the process ends: output without a reader fails after all other work is done.
 */
function endOnUncaught(): void {
	for (const event of uncaughtEvents) {
		process.on(event, (error: unknown) => {
			// A mode with a screen listens too, and knows better what to do with it.
			if (process.listenerCount(event) === 1) exitOnError(error);
		});
	}
}

function exitOnError(error: unknown): void {
	// A reader that closes the pipe has read enough, so no error is printed.
	if (error instanceof Error && "code" in error && error.code === "EPIPE") process.exit(exitCodes.failed);
	const reason = error instanceof Error ? error.message : String(error);
	log.error("uncaught error", { reason, stack: error instanceof Error ? (error.stack ?? "") : "" });
	printError(`unexpected failure: ${reason}. The log is in ${dirs().logs}.`);
	process.exit(exitCodes.failed);
}
