/** Makes a session from the command line and runs it in print mode or RPC mode. */
import { formatTimings, timingMode, UsageError } from "@tau/utils";
import { createSession, type SessionParts } from "@tau/extensions/assembly";
import { autoRetry, SessionManager, type AgentSession, type Prompt } from "@tau/session";
import { selector, type Choice } from "@tau/session/models";
import { retryHelp, retrySettings, titleOf } from "@tau/session/run";
import { builtinTools } from "@tau/tools/builtin";
import { processOutput } from "../../modes/output.ts";
import { jsonPrinter, runPrint, textPrinter, type PrintOutcome } from "../../modes/print/index.ts";
import type { Args } from "../args.ts";
import { complain } from "../complain.ts";
import { exitCodes } from "../exit-codes.ts";
import { openSettings } from "./load-settings.ts";
import { readPrompts } from "../prompt.ts";
import { modelRequest } from "./model-request.ts";
import { loadEnvironment, openParts, timed } from "./session-parts.ts";
import { onInterrupt, type Interruption } from "../signals.ts";
import { pipedInput } from "../piped-input.ts";

export async function launch(args: Args): Promise<number> {
	using interruption = onInterrupt();
	const cwd = process.cwd();
	// Commands of the model get the environment that Tau was started with, without what `.env` files add for Tau.
	const outerEnv = { ...process.env };
	const isRpc = args.flags.get("mode") === "rpc";
	// The client of RPC mode talks over standard input: it is not read here.
	const prompts = isRpc ? [] : await timed("prompt", () => readPrompts(args, cwd, pipedInput()));
	if (prompts.length === 0 && !isRpc)
		throw new UsageError(
			'Nothing to do. Give a prompt: tau -p "what is in this project", or see tau --help.',
		);
	loadEnvironment();
	const settings = await timed("settings", () => openSettings(args));
	// A run that prints its answer and ends would pay for room that nobody uses.
	const afterAnswer = isRpc;
	using opened = await openParts({ args, cwd, outerEnv, settings, afterAnswer, onNotice: complain });
	const { parts, choice, before } = opened;
	for (const notice of choice.notices) complain(notice);
	if (isRpc) return await serve(args, parts, interruption);
	await using session = createSession(parts, {
		...(before ? { messages: before.messages } : {}),
		behaviors: [autoRetry(retrySettings(settings), retryHelp(parts.registry, settings))],
	});
	await using _extensions = await startExtensions(parts, args);
	const outcome = await timed("run", () => print(args, session, prompts, interruption, parts.sessionLog));
	if (timingMode() !== "off") process.stderr.write(formatTimings());
	return conclude(outcome, interruption, choice);
}

/** Nobody answers dialogs here; what extensions say is said on standard error. */
async function startExtensions(
	{ extensions }: SessionParts,
	{ flags }: Args,
): Promise<AsyncDisposable | undefined> {
	if (!extensions) return undefined;
	const { printMode } = await import("@tau/extensions/ui");
	await extensions.start(printMode(complain, flags.get("mode") === "json" ? "json" : "print"));
	return extensions;
}

/** Where nothing is kept, the log lives in memory: a client may fork and go back there too. */
async function serve(args: Args, parts: SessionParts, interruption: Interruption): Promise<number> {
	const { serveRpc, rejectPrompts } = await import("./serve-rpc.ts");
	const { registry } = parts;
	rejectPrompts(args);
	using sessionLog = parts.sessionLog ?? SessionManager.inMemory(parts.cwd);
	// A session that nobody will look for needs no name.
	const title = parts.sessionLog ? titleOf(parts.settings, process.env) : undefined;
	return await serveRpc({
		models: modelRequest(args).models,
		registry,
		log: sessionLog,
		env: registry.withoutKeys(parts.env),
		retry: { settings: retrySettings(parts.settings), help: retryHelp(registry, parts.settings) },
		interruption,
		compaction: parts.compaction,
		extensions: parts.extensions,
		resources: parts.resources,
		create: (more) => createSession({ ...parts, cwd: sessionLog.getCwd(), sessionLog, title }, more),
	});
}

async function print(
	args: Args,
	session: AgentSession,
	prompts: readonly Prompt[],
	interruption: Interruption,
	sessionLog: SessionManager | undefined,
): Promise<PrintOutcome> {
	const out = processOutput(process.stdout, () => session.abort());
	const err = processOutput(process.stderr, () => {});
	const isJson = args.flags.get("mode") === "json";
	if (isJson && sessionLog) out.write(`${JSON.stringify(sessionLog.getHeader())}\n`);
	const printer = isJson ? jsonPrinter(out) : textPrinter({ out, err, describeCall });
	const outcome = await runPrint(session, prompts, printer, interruption.signal);
	const problem = await out.settled();
	return problem ? { kind: "unwritten", reason: problem.message } : outcome;
}

function describeCall(name: string, args: Record<string, unknown>): string {
	return builtinTools.find((tool) => tool.name === name)?.describeCall(args) ?? name;
}

function conclude(outcome: PrintOutcome, interruption: Interruption, { model }: Choice): number {
	switch (outcome.kind) {
		case "answered":
			return exitCodes.answered;
		case "interrupted":
			return interruption.exitCode ?? exitCodes.interrupted;
		case "exhausted":
			complain(outcome.reason);
			return exitCodes.failed;
		case "refused":
			complain(outcome.reason);
			return exitCodes.usage;
		case "unwritten":
			complain(`the answer cannot be written: ${outcome.reason}`);
			return exitCodes.failed;
		case "failed":
			complain(`${selector(model)}: ${outcome.failure.message}${wayOut(outcome, model.provider)}`);
			return exitCodes.failed;
	}
}

function wayOut(outcome: Extract<PrintOutcome, { kind: "failed" }>, provider: string): string {
	const { kind, retryAfterMs } = outcome.failure;
	if (kind === "auth") return ` (check the key for ${provider})`;
	if (retryAfterMs !== undefined) return ` (try again in ${Math.ceil(retryAfterMs / 1000)} s)`;
	return "";
}
