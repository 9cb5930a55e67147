/** Runs what the command line asks for and returns the exit code. */
import { log, mark, ownWrite, span } from "@tau/utils";

import { rejectPlanned, UsageError, type Args } from "./args.ts";
import { complain } from "./complain.ts";
import { exitCodes } from "./exit-codes.ts";
import { commands } from "./flags.ts";
import { hideKey } from "./hide-key.ts";
import { isInteractive } from "./is-interactive.ts";
import { limits } from "./limits.ts";
import { readArgs } from "./read-args.ts";
import { applyRunFlags } from "./run-flags.ts";
import { endOnUncaught } from "./uncaught.ts";
import { version } from "./version.ts";

export async function run(argv: readonly string[]): Promise<number> {
	endOnUncaught();
	hideKey(argv);
	const code = await outcomeOf(argv);
	endSoon(code);
	return code;
}

/** Everything is put away: what an extension has left running, a timer for instance, must not keep the shell. */
function endSoon(code: number): void {
	const end = (): void => {
		// A reader who lags behind still gets all of it.
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
			complain(error.message);
			return exitCodes.usage;
		}
		log.error("unexpected failure", {
			reason: String(error),
			stack: error instanceof Error ? error.stack : "",
		});
		complain(`unexpected failure: ${error instanceof Error ? error.message : String(error)}`);
		return exitCodes.failed;
	}
}

/** Each loads what it needs and nothing else. */
const runners: Readonly<Record<string, (args: Args) => Promise<number>>> = {
	login: async (args) => (await import("./login.ts")).runLogin(args),
	logout: async (args) => (await import("./logout.ts")).runLogout(args),
	config: async (args) => (await import("./config-command.ts")).runConfig(args),
	sessions: async (args) => (await import("./sessions-command.ts")).runSessions(args),
	grep: async (args) => (await import("./grep-command.ts")).runGrep(args),
	shell: async (args) => (await import("./shell-command.ts")).runShellCommand(args),
	doctor: async (args) => (await import("./doctor-command.ts")).runDoctor(args),
	plugin: async (args) => (await import("./plugin-command.ts")).runPlugin(args),
	install: (args) => pluginAlias(args),
	remove: (args) => pluginAlias(args),
	uninstall: (args) => pluginAlias(args),
	list: (args) => pluginAlias(args),
	update: (args) => pluginAlias(args),
	auth: async (args) => (await import("./auth-status.ts")).runAuthStatus(args),
};

async function pluginAlias(args: Args): Promise<number> {
	return (await import("./plugin-command.ts")).runPluginAlias(args);
}

/** `tau --help`, `tau help`, `tau login --help`, `tau help login`. */
async function showHelp({ command: word, operands }: Args): Promise<number> {
	const asked = word === "help" ? operands[0] : word;
	if (asked !== undefined) rejectPlanned(asked);
	const command = commands.find(({ name }) => name === asked);
	if (asked !== undefined && !command)
		throw new UsageError(`There is no command "${asked}". See tau --help.`);
	const { commandHelp, helpText } = await import("./help.ts");
	ownWrite(process.stdout)(command?.takes ? commandHelp(command) : helpText(version));
	return exitCodes.answered;
}

async function dispatch(args: Args): Promise<number> {
	if (args.flags.has("help") || args.command === "help") return showHelp(args);
	if (args.flags.has("version") || args.command === "version") {
		ownWrite(process.stdout)(`${version}\n`);
		return exitCodes.answered;
	}
	await applyRunFlags(args);
	const command = runners[args.command ?? ""];
	if (command) return command(args);
	if (args.flags.has("list-models")) return (await import("./list-models.ts")).listModels(args);
	if (args.flags.has("export")) return (await import("./sessions-export.ts")).runExport(args);
	mark("command line read");
	if (isInteractive(args)) {
		const { runInteractive } = await span("load the screen", () => import("./run-interactive.ts"));
		return runInteractive(args);
	}
	const { launch } = await span("load the program", () => import("./launch.ts"));
	return launch(args);
}
