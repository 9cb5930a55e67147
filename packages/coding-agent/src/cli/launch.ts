/** Makes a session from the command line and runs it in print mode or RPC mode. */
import { resolve } from "node:path";

import type { AgentTool } from "@tau/agent";
import { thinkingLevels, type CredentialStore } from "@tau/ai";
import {
	expandHome,
	formatTimings,
	loadDotenv,
	log,
	nearest,
	span,
	timingMode,
	uuidv7,
	type Env,
} from "@tau/utils";

import type { ModelRegistry } from "../config/model-registry.ts";
import { selector } from "../config/model-resolver.ts";
import type { Settings } from "../config/settings/index.ts";
import { processOutput } from "../modes/output.ts";
import { jsonPrinter, runPrint, textPrinter, type PrintOutcome } from "../modes/print/index.ts";
import { systemPrompt } from "../prompts/system-prompt.ts";
import {
	AgentSession,
	autoRetry,
	budgetGuard,
	credentialFeedback,
	persistence,
	SessionManager,
	type AgentSessionOptions,
	type SessionContext,
	type Prompt,
} from "../session/index.ts";
import type { ToolPlace } from "../tools/define-tool.ts";
import { builtinTools } from "../tools/index.ts";
import { UsageError, type Args } from "./args.ts";
import { KeySource } from "./auth-source.ts";
import { openCredentials } from "./auth-store.ts";
import { chooseModel, modelRequest, type Choice } from "./choose-model.ts";
import { complain } from "./complain.ts";
import { exitCodes } from "./exit-codes.ts";
import { loadRegistry } from "./load-models.ts";
import { openSettings } from "./load-settings.ts";
import { budgetOf, retryHelp, retrySettings } from "./run-settings.ts";
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
	const choice = await timed("choose model", () => choose(args, registry, settings, before));
	const parts = { args, cwd, env: outerEnv, settings, store, registry, choice, sessionLog };
	if (isRpc) return await serve(parts, interruption);
	using session = createSession(parts, {
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

/** A session that is opened again goes on with its model, unless another one is asked for or it cannot be used. */
async function choose(
	args: Args,
	registry: ModelRegistry,
	settings: Settings,
	before: SessionContext | undefined,
): Promise<Choice> {
	const last = before?.model ? registry.find(`${before.model.provider}/${before.model.modelId}`) : undefined;
	const request = modelRequest(args);
	const goesOn = last && request.model === undefined && registry.isAvailable(last);
	const choice = await chooseModel(
		goesOn ? { ...request, model: selector(last) } : request,
		registry,
		process.env,
	);
	for (const notice of choice.notices) complain(notice);
	const asked = thinkingLevels.find((name) => name === args.flags.get("thinking"));
	const level = asked ?? choice.thinking ?? settings.get("defaultThinkingLevel");
	return level ? { ...choice, thinking: level } : choice;
}

interface SessionParts {
	args: Args;
	cwd: string;
	env: Env;
	settings: Settings;
	store: CredentialStore;
	registry: ModelRegistry;
	choice: Choice;
	sessionLog: SessionManager | undefined;
}

/** `more` stands above what the command line says. */
function createSession(
	{ args, cwd, env, settings, store, registry, choice, sessionLog }: SessionParts,
	more: Partial<AgentSessionOptions> = {},
): AgentSession {
	const keys = new KeySource({
		store,
		registry,
		sessionId: sessionLog?.getSessionId() ?? uuidv7(),
		...(args.flags.has("api-key") ? { overridden: choice.model.provider } : {}),
		onNotice: complain,
	});
	const replace = args.flags.get("system-prompt");
	const append = args.flags.get("append-system-prompt");
	return new AgentSession({
		model: choice.model,
		systemPrompt: systemPrompt({
			cwd,
			...(replace === undefined ? {} : { replace }),
			...(append === undefined ? {} : { append }),
		}),
		tools: chosenTools(args, {
			cwd,
			env: registry.withoutKeys(env),
			resolve: (path) => resolve(cwd, expandHome(path)),
			commandSeconds: settings.get("bash.timeoutSeconds"),
		}),
		steeringMode: settings.get("steeringMode"),
		followUpMode: settings.get("followUpMode"),
		...(choice.thinking ? { thinking: choice.thinking } : {}),
		credentials: (model) => keys.for(model),
		...more,
		behaviors: [
			...(sessionLog ? [persistence(sessionLog)] : []),
			credentialFeedback((provider, outcome) => keys.report(provider, outcome)),
			budgetGuard(budgetOf(args, settings)),
			...(more.behaviors ?? []),
		],
	});
}

/** Where nothing is kept, the log lives in memory: a client may fork and go back there too. */
async function serve(parts: SessionParts, interruption: Interruption): Promise<number> {
	const { serveRpc, rejectPrompts } = await import("./serve-rpc.ts");
	const { args, registry } = parts;
	rejectPrompts(args);
	using sessionLog = parts.sessionLog ?? SessionManager.inMemory(parts.cwd);
	return await serveRpc({
		args,
		registry,
		log: sessionLog,
		env: registry.withoutKeys(parts.env),
		retry: { settings: retrySettings(parts.settings), help: retryHelp(registry, parts.settings) },
		interruption,
		create: (more) => createSession({ ...parts, cwd: sessionLog.getCwd(), sessionLog }, more),
	});
}

function chosenTools(args: Args, place: ToolPlace): AgentTool[] {
	if (args.flags.has("no-tools")) return [];
	const names = builtinTools.map((tool) => tool.name);
	const wanted = args.flags
		.get("tools")
		?.split(",")
		.map((name) => name.trim());
	for (const name of wanted ?? []) {
		if (names.includes(name)) continue;
		const [near] = nearest(name, names);
		throw new UsageError(
			`There is no tool "${name}". ${near ? `Did you mean ${near}?` : `Tools: ${names.join(", ")}`}`,
		);
	}
	return builtinTools
		.filter((tool) => wanted === undefined || wanted.includes(tool.name))
		.map((tool) => tool.bind(place));
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
