/** Makes a session from the command line and runs it in print mode or RPC mode. */
import { thinkingLevels } from "@tau/ai";
import { formatTimings, loadDotenv, log, span, timingMode } from "@tau/utils";

import { selector } from "../config/model-resolver.ts";
import type { Settings } from "../config/settings/index.ts";
import { processOutput } from "../modes/output.ts";
import { jsonPrinter, runPrint, textPrinter, type PrintOutcome } from "../modes/print/index.ts";
import { loadPrompt } from "../prompts/load-prompt.ts";
import { chooseTools, toolsBySettings } from "../sdk/choose-tools.ts";
import { createSession, type SessionParts } from "../sdk/create-session.ts";
import { sessionModel } from "../sdk/session-model.ts";
import { autoRetry, SessionManager, type AgentSession, type Prompt } from "../session/index.ts";
import type { BuiltinTool } from "../tools/define-tool.ts";
import { builtinTools } from "../tools/index.ts";
import { UsageError, type Args } from "./args.ts";
import { openCredentials } from "./auth-store.ts";
import { modelRequest, type Choice } from "./choose-model.ts";
import { complain } from "./complain.ts";
import { exitCodes } from "./exit-codes.ts";
import { loadRegistry } from "./load-models.ts";
import { openSettings } from "./load-settings.ts";
import { budgetOf, compactionSettings, retryHelp, retrySettings, titleOf } from "./run-settings.ts";
import { openSession } from "./open-session.ts";
import { pipedInput, readPrompts } from "./prompt.ts";
import { onInterrupt, type Interruption } from "./signals.ts";

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
	loadEnvironment(cwd);
	using store = await timed("credentials", () => openCredentials());
	const isStored = (provider: string): boolean => store.has(provider);
	const settings = await timed("settings", () => openSettings(args));
	const registry = await timed("models", () => loadRegistry(args, process.env, settings, { isStored }));
	const directory = args.flags.get("session-dir") ?? settings.get("sessionDir");
	using sessionLog = await timed("open session", () => openSession(args, cwd, directory));
	const before = sessionLog?.buildSessionContext();
	const thinking = thinkingLevels.find((name) => name === args.flags.get("thinking"));
	const request = modelRequest(args);
	const choice = await timed("choose model", () =>
		sessionModel({ request, thinking, registry, settings, before, env: process.env }),
	);
	for (const notice of choice.notices) complain(notice);
	const parts: SessionParts = {
		cwd,
		env: outerEnv,
		settings,
		store,
		registry,
		model: choice.model,
		thinking: choice.thinking,
		sessionLog,
		hasOwnKey: args.flags.has("api-key"),
		prompt: await timed("system prompt", () => promptOf(args, cwd, settings)),
		tools: chosenTools(args, settings),
		budget: budgetOf(args, settings),
		// A run that prints its answer and ends would pay for room that nobody uses.
		compaction: { ...compactionSettings(settings), afterAnswer: isRpc },
		onNotice: complain,
	};
	if (isRpc) return await serve(args, parts, interruption);
	await using session = createSession(parts, {
		...(before ? { messages: before.messages } : {}),
		behaviors: [autoRetry(retrySettings(settings), retryHelp(registry, settings))],
	});
	const outcome = await timed("run", () => print(args, session, prompts, interruption, sessionLog));
	if (timingMode() !== "off") process.stderr.write(formatTimings());
	return conclude(outcome, interruption, choice);
}

async function timed<T>(name: string, work: () => T | Promise<T>): Promise<T> {
	using _ = span(name);
	// Awaited here: the span ends with the block.
	return await work();
}

function loadEnvironment(cwd: string): void {
	for (const { file, key, message } of loadDotenv({ cwd }).warnings) {
		log.warn("part of an .env file was not used", { file, key, message });
	}
}

function promptOf({ flags }: Args, cwd: string, settings: Settings): ReturnType<typeof loadPrompt> {
	return loadPrompt({
		cwd,
		env: process.env,
		replace: flags.get("system-prompt"),
		append: flags.get("append-system-prompt"),
		withContextFiles: settings.get("contextFiles") && !flags.has("no-context-files"),
		onNotice: complain,
	});
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
		args,
		registry,
		log: sessionLog,
		env: registry.withoutKeys(parts.env),
		retry: { settings: retrySettings(parts.settings), help: retryHelp(registry, parts.settings) },
		interruption,
		compaction: parts.compaction,
		create: (more) => createSession({ ...parts, cwd: sessionLog.getCwd(), sessionLog, title }, more),
	});
}

function chosenTools({ flags }: Args, settings: Settings): readonly BuiltinTool[] {
	if (flags.has("no-tools")) return [];
	if (!flags.has("tools")) return toolsBySettings(builtinTools, settings, complain);
	const wanted = flags
		.get("tools")
		?.split(",")
		.map((name) => name.trim());
	const choice = chooseTools(builtinTools, wanted);
	if (!choice.ok) throw new UsageError(choice.message);
	return choice.tools;
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
