/** Makes a session from the command line and runs it in print mode or RPC mode. */
import { formatTimings, isTerminal, timingMode, UsageError } from "@tau/utils";
import { openSession, type SessionParts } from "@tau/extensions/assembly";
import { selector, type Choice } from "@tau/config/models";
import type { CommandParts } from "@tau/session-commands";
import type { OutputSchema, PrintOutcome } from "../../modes/print/index.ts";
import type { Args } from "../args.ts";
import { printError } from "../print-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { limits } from "../limits.ts";
import { isStreamedInput, printFormat, printRun } from "./print-run.ts";
import { openSettings } from "./load-settings.ts";
import { readPrompts } from "../prompt.ts";
import { rememberSession } from "./terminal-session.ts";
import { loadEnvironment, openParts, timed, toolEnvOf } from "./session-parts.ts";
import { onInterrupt, type Interruption } from "../signals.ts";
import { pipedInput } from "../piped-input.ts";

export async function launch(args: Args): Promise<number> {
	const isRpc = args.flags.get("mode") === "rpc";
	using interruption = onInterrupt(isRpc ? limits.rpcShutdownMs : limits.shutdownMs);
	const cwd = process.cwd();
	// Commands of the model get the environment that Tau was started with, without what `.env` files add for Tau.
	const outerEnv = { ...process.env };
	// The client of RPC mode uses standard input: it is not read here.
	const isStreamed = isRpc || isStreamedInput(args);
	const prompts = isStreamed ? [] : await timed("prompt", () => readPrompts(args, cwd, pipedInput()));
	if (prompts.length === 0 && !isStreamed)
		throw new UsageError('No prompt given. Example: tau -p "what is in this project". See tau --help.');
	loadEnvironment();
	const settings = await timed("settings", () => openSettings(args));
	if (args.flags.has("use-theme")) {
		const { rejectUnknownTheme } = await import("./run-themes.ts");
		await rejectUnknownTheme(args, settings);
	}
	if (isRpc) {
		const { serveRpc } = await import("./serve-rpc.ts");
		return await serveRpc({ args, cwd, outerEnv, settings, interruption });
	}
	// A run that prints its answer and ends would pay for memory that is never used.
	await using opened = await openParts({
		args,
		cwd,
		outerEnv,
		settings,
		staysOpen: false,
		signal: interruption.signal,
		onNotice: printError,
		onContained: printError,
	});
	const { parts, choice } = opened;
	const schema = await schemaOf(args, cwd);
	if (schema) parts.prompt.append = [parts.prompt.append, schema.instruction].filter(Boolean).join("\n\n");
	for (const notice of choice.notices) printError(notice);
	const env = toolEnvOf(parts);
	await using host = openSession(parts);
	const commands = async (): Promise<CommandParts> => {
		const { commandParts } = await import("./command-parts.ts");
		return commandParts({ args, parts, host, env, onNotice: printError });
	};
	const prepare = (): Promise<void> => startExtensions(parts, args);
	const { signal } = interruption;
	const outcome = await timed("run", () =>
		printRun({ args, host, prompts, signal, prepare, schema, commands }),
	);
	// A run that another program started says nothing about what the user did in this terminal.
	if (isTerminal("stdin") || isTerminal("stdout")) rememberSession(cwd, host.log.getSessionFile());
	if (timingMode() !== "off") process.stderr.write(formatTimings());
	return conclude(outcome, interruption, choice, args);
}

/** No user answers dialogs in this mode; messages of extensions go to standard error. */
async function startExtensions({ extensions }: SessionParts, { flags }: Args): Promise<void> {
	if (!extensions) return;
	const { printMode } = await import("@tau/extensions/ui");
	await extensions.start(printMode(printError, printFormat({ flags }) === "text" ? "print" : "json"));
}

/** The checker is loaded for the runs that have a schema. */
async function schemaOf({ flags }: Args, cwd: string): Promise<OutputSchema | undefined> {
	const argument = flags.get("output-schema");
	if (argument === undefined) return undefined;
	const { readOutputSchema } = await import("../../modes/print/output-schema.ts");
	return await readOutputSchema(argument, cwd);
}

function conclude(
	outcome: PrintOutcome,
	interruption: Interruption,
	{ model }: Choice,
	{ flags }: Args,
): number {
	switch (outcome.kind) {
		case "answered":
			return exitCodes.answered;
		case "interrupted":
			return interruption.exitCode ?? exitCodes.interrupted;
		case "exhausted":
			printError(outcome.reason);
			return outcome.limit === "time" ? exitCodes.outOfTime : exitCodes.failed;
		case "unfit":
			printError(`the answer does not fit --output-schema: ${outcome.reason.replaceAll("\n", "; ")}`);
			return exitCodes.failed;
		case "denied":
			// The text printer has shown the notice on standard error.
			if (printFormat({ flags }) !== "text") printError(outcome.reason);
			return exitCodes.failed;
		case "refused":
			printError(outcome.reason);
			return exitCodes.usage;
		case "unwritten":
			printError(`cannot write the answer: ${outcome.reason}`);
			return exitCodes.failed;
		case "failed":
			printError(`${selector(model)}: ${outcome.failure.message}${wayOut(outcome, model.provider)}`);
			return exitCodes.failed;
	}
}

function wayOut(outcome: Extract<PrintOutcome, { kind: "failed" }>, provider: string): string {
	const { kind, retryAfterMs } = outcome.failure;
	if (kind === "auth") return ` (check the key for ${provider})`;
	if (retryAfterMs !== undefined) return ` (try again in ${Math.ceil(retryAfterMs / 1000)} s)`;
	return "";
}
