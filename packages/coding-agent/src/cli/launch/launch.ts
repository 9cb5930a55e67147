/** Makes a session from the command line and runs it in print mode or RPC mode. */
import { formatTimings, isTerminal, timingMode, UsageError } from "@tau/utils";
import { openSession, type SessionParts } from "@tau/extensions/assembly";
import type { Prompt } from "@tau/session";
import type { SessionHost } from "@tau/session/host";
import { selector, type Choice } from "@tau/config/models";
import { builtinTools } from "@tau/integrations/builtin";
import { standardOutput } from "../../modes/output.ts";
import {
	jsonPrinter,
	runPrint,
	textPrinter,
	type OutputSchema,
	type PrintOutcome,
} from "../../modes/print/index.ts";
import type { Args } from "../args.ts";
import { printError } from "../print-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { limits } from "../limits.ts";
import { openSettings } from "./load-settings.ts";
import { readPrompts } from "../prompt.ts";
import { rememberSession } from "./terminal-session.ts";
import { loadEnvironment, openParts, timed } from "./session-parts.ts";
import { onInterrupt, type Interruption } from "../signals.ts";
import { pipedInput } from "../piped-input.ts";

export async function launch(args: Args): Promise<number> {
	const isRpc = args.flags.get("mode") === "rpc";
	using interruption = onInterrupt(isRpc ? limits.rpcShutdownMs : limits.shutdownMs);
	const cwd = process.cwd();
	// Commands of the model get the environment that Tau was started with, without what `.env` files add for Tau.
	const outerEnv = { ...process.env };
	// The client of RPC mode uses standard input: it is not read here.
	const prompts = isRpc ? [] : await timed("prompt", () => readPrompts(args, cwd, pipedInput()));
	if (prompts.length === 0 && !isRpc)
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
	await using host = openSession(parts);
	const prepare = (): Promise<void> => startExtensions(parts, args);
	const outcome = await timed("run", () => print({ args, host, prompts, interruption, prepare, schema }));
	// A run that another program started says nothing about what the user did in this terminal.
	if (isTerminal("stdin") || isTerminal("stdout")) rememberSession(cwd, host.log.getSessionFile());
	if (timingMode() !== "off") process.stderr.write(formatTimings());
	return conclude(outcome, interruption, choice, args);
}

/** No user answers dialogs in this mode; messages of extensions go to standard error. */
async function startExtensions({ extensions }: SessionParts, { flags }: Args): Promise<void> {
	if (!extensions) return;
	const { printMode } = await import("@tau/extensions/ui");
	await extensions.start(printMode(printError, flags.get("mode") === "json" ? "json" : "print"));
}

/** The checker is loaded for the runs that have a schema. */
async function schemaOf({ flags }: Args, cwd: string): Promise<OutputSchema | undefined> {
	const argument = flags.get("output-schema");
	if (argument === undefined) return undefined;
	const { readOutputSchema } = await import("../../modes/print/output-schema.ts");
	return await readOutputSchema(argument, cwd);
}

interface PrintRun {
	args: Args;
	host: SessionHost;
	prompts: readonly Prompt[];
	interruption: Interruption;
	prepare: () => Promise<void>;
	schema: OutputSchema | undefined;
}

async function print({
	args,
	host,
	prompts,
	interruption,
	prepare,
	schema,
}: PrintRun): Promise<PrintOutcome> {
	const out = standardOutput("stdout", () => void host.stop());
	const err = standardOutput("stderr", () => {});
	const isJson = args.flags.get("mode") === "json";
	if (isJson && host.log.isPersisted()) out.write(`${JSON.stringify(host.log.getHeader())}\n`);
	// With a schema, standard output gets nothing but the value that fits it.
	const shown = schema && !isJson ? { isTerminal: false, write: () => {} } : out;
	const printer = isJson ? jsonPrinter(out) : textPrinter({ out: shown, err, describeCall });
	const run = (asked: readonly Prompt[]): Promise<PrintOutcome> =>
		runPrint(host, asked, printer, interruption.signal);
	const sent = prompts.filter((prompt) => !isContextReport(prompt));
	const first = await runPrint(host, sent, printer, interruption.signal, prepare);
	if (sent.length < prompts.length && first.kind === "answered") {
		const { contextText } = await import("@tau/session/context");
		const message = contextText(host.context.report());
		await (isJson ? printer.onEvent({ type: "notice", level: "info", message }) : out.write(`${message}\n`));
	}
	const emit = (value: unknown): void | Promise<void> =>
		isJson ? printer.onEvent({ type: "structured_output", value }) : out.write(`${JSON.stringify(value)}\n`);
	const outcome = schema
		? await (
				await import("../../modes/print/output-schema.ts")
			).structuredOutcome(schema, host, first, (text) => run([{ text }]), emit)
		: first;
	const problem = await out.settled();
	return problem ? { kind: "unwritten", reason: problem.message } : outcome;
}

/** What fills the context is printed after the answers, and no model is asked. */
function isContextReport({ text }: Prompt): boolean {
	return text.trim() === "/context";
}

function describeCall(name: string, args: Record<string, unknown>): string {
	return builtinTools.find((tool) => tool.name === name)?.describeCall(args) ?? name;
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
			if (flags.get("mode") === "json") printError(outcome.reason);
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
