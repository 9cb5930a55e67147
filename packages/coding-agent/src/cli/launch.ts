/** Makes a session from the command line and runs it in print mode. */
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
import {
	jsonPrinter,
	processOutput,
	runPrint,
	textPrinter,
	type PrintOutcome,
} from "../modes/print/index.ts";
import { systemPrompt } from "../prompts/system-prompt.ts";
import {
	AgentSession,
	credentialFeedback,
	persistence,
	SessionManager,
	type Prompt,
} from "../session/index.ts";
import { builtinTools } from "../tools/index.ts";
import { UsageError, type Args } from "./args.ts";
import { KeySource } from "./auth-source.ts";
import { openCredentials } from "./auth-store.ts";
import { chooseModel, modelRequest, type Choice } from "./choose-model.ts";
import { complain } from "./complain.ts";
import { exitCodes } from "./exit-codes.ts";
import { loadRegistry } from "./load-models.ts";
import { pipedInput, readPrompts } from "./prompt.ts";
import { onInterrupt, type Interruption } from "./signals.ts";

export async function launch(args: Args): Promise<number> {
	using interruption = onInterrupt();
	const cwd = process.cwd();
	// Commands of the model get the environment that Tau was started with, without what `.env` files add for Tau.
	const outerEnv = { ...process.env };
	const prompts = await timed("prompt", () => readPrompts(args, cwd, pipedInput()));
	if (prompts.length === 0)
		throw new UsageError(
			'Nothing to do. Give a prompt: tau -p "what is in this project", or see tau --help.',
		);
	loadEnvironment(cwd);
	using store = await timed("credentials", () => openCredentials());
	const isStored = (provider: string): boolean => store.has(provider);
	const registry = await timed("models", () => loadRegistry(args, process.env, { isStored }));
	const choice = await timed("choose model", () => choose(args, registry));
	using sessionLog = openLog(args, cwd);
	using session = createSession({ args, cwd, env: outerEnv, store, registry, choice, sessionLog });
	const outcome = await timed("run", () => print(args, session, prompts, interruption, sessionLog));
	if (timingMode() !== "off") process.stderr.write(formatTimings());
	return conclude(outcome, interruption, choice);
}

async function timed<T>(name: string, work: () => T | Promise<T>): Promise<T> {
	using _ = span(name);
	return work();
}

function loadEnvironment(cwd: string): void {
	for (const { file, key, message } of loadDotenv({ cwd }).warnings) {
		log.warn("part of an .env file was not used", { file, key, message });
	}
}

async function choose(args: Args, registry: ModelRegistry): Promise<Choice> {
	const choice = await chooseModel(modelRequest(args), registry, process.env);
	for (const notice of choice.notices) complain(notice);
	const level = thinkingLevels.find((name) => name === args.flags.get("thinking"));
	return level ? { ...choice, thinking: level } : choice;
}

function openLog(args: Args, cwd: string): SessionManager | undefined {
	if (args.flags.has("no-session")) return undefined;
	const directory = args.flags.get("session-dir");
	return SessionManager.create(
		cwd,
		directory === undefined ? undefined : resolve(cwd, expandHome(directory)),
	);
}

interface SessionParts {
	args: Args;
	cwd: string;
	env: Env;
	store: CredentialStore;
	registry: ModelRegistry;
	choice: Choice;
	sessionLog: SessionManager | undefined;
}

function createSession({ args, cwd, env, store, registry, choice, sessionLog }: SessionParts): AgentSession {
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
		tools: chosenTools(args, cwd, registry.withoutKeys(env)),
		...(choice.thinking ? { thinking: choice.thinking } : {}),
		credentials: (model) => keys.for(model),
		behaviors: [
			...(sessionLog ? [persistence(sessionLog)] : []),
			credentialFeedback((provider, outcome) => keys.report(provider, outcome)),
		],
	});
}

function chosenTools(args: Args, cwd: string, env: Env): AgentTool[] {
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
		.map((tool) => tool.bind({ cwd, env, resolve: (path) => resolve(cwd, expandHome(path)) }));
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
