/** Opens a session with everything that Tau adds to it: tools, prompt, rules, hooks, skills and extensions. */

import {
	SessionHost,
	type RunContext,
	type RunFeatures,
	type SessionParts as CoreParts,
	type SessionWork,
} from "@tau/session/host";
import {
	advisor,
	OtlpExporter,
	SessionMemory,
	startDate,
	traces,
	recordCommands,
} from "@tau/session/behaviors";
import type { SessionManager } from "@tau/log";
import { namedModel } from "@tau/config/models";
import type { SessionTool, Rule } from "@tau/session/run";
import { FileFallbacks, type Machine } from "@tau/sys";
import type { IsolatedTree } from "@tau/machines/isolation";
import { prepareCalls } from "@tau/session/policy";
import { jobsService, shellService } from "@tau/tools/bash";
import { editGuard } from "@tau/tools/edit";
import { editDiagnostics } from "@tau/integrations/lsp";
import type { ToolRegistry, ToolSelection } from "@tau/tools/registry";
import { goalKeeper, goalOf, setGoal } from "@tau/tools/goal";
import { submitPlan } from "@tau/tools/plan";
import { agentUrls } from "@tau/tools/task";
import { editTodo, todoErrorReminder, todoPhases, todoReminder } from "@tau/tools/todo";
import type { BuiltinTool, ServiceKey, ToolEnv } from "@tau/tools/tool";
import { memoryUrls, registerUrlScheme, sessionUrls } from "@tau/tools/urls";
import { dirs, type Env } from "@tau/utils";
import type { Behavior } from "@tau/session";
import type { Settings } from "@tau/config/settings";

import { describeToolCall } from "../api/describe-call.ts";
import type { ExtensionSession } from "../api/extension-session.ts";
import { agentHook } from "../events/agents.ts";
import type { Extensions } from "../host/extensions.ts";
import type { RegisteredServers } from "@tau/resources/mcp/definitions";
import { childParts } from "./child-parts.ts";
import { planMode } from "./plan-mode.ts";
import { policyOptions, type PolicyRequest } from "./policy-options.ts";
import { promptFrom, promptOf, promptOptions, surroundings } from "./prompt-options.ts";
import type { HookSource } from "../hooks/hook-source.ts";
import { expandedPrompt } from "@tau/resources/prompt-templates";
import { addResources } from "../resources/more-resources.ts";
import type { Resources } from "../resources/resources.ts";
import { skillUrls } from "@tau/resources/skills";
import type { SystemPromptOptions } from "../system-prompt/system-prompt.ts";
import { isUntrusted as hasNoTrust, trusts } from "../trust/trust.ts";
import { machineRecord } from "./machine-record.ts";
import type { McpSource } from "./mcp-source.ts";
import { localEnv, onRemote, type SessionMachine } from "./session-machine.ts";
import { SessionFiles } from "./session-files.ts";
import { sessionTools, type ParentTool } from "./session-tools.ts";
import { projectEnv } from "@tau/tools/tool";
import { toolEnvOf } from "./tool-env.ts";
import { interceptCommand, runUserCell, runUserCommand } from "./user-commands.ts";
import { builtinRules, ruleUrls, sortRules, type SortedRules, ttsr } from "@tau/resources/rules";

export interface SessionParts extends Omit<
	CoreParts,
	"features" | "lifecycle" | "derive" | "policy" | "owns"
> {
	/** The environment of the model's commands, before the keys are removed. */
	env: Env;
	/** Where the tools work; by default the machine that Tau runs on. */
	machine?: Machine | undefined;
	/** Another machine that the user has chosen, and may choose again while the session is open. The caller disposes of it. */
	remote?: SessionMachine | undefined;
	/** The isolated tree that the session works in. */
	tree?: IsolatedTree | undefined;
	/** How tool calls are approved. */
	policy?: PolicyRequest | undefined;
	prompt: Omit<SystemPromptOptions, "cwd" | "tools">;
	/** Those of Tau and of the program; extensions add theirs. */
	tools: readonly BuiltinTool[];
	/** The tools that the session may use, including those added later; by default those of the settings. */
	toolSelection?: ToolSelection | undefined;
	/** Skills and prompt templates; the system prompt names the skills by itself. */
	resources?: Resources | undefined;
	/** Loaded for the run; every session of it is bound to them. */
	extensions?: Extensions | undefined;
	/** Commands that run when something happens. */
	hooks?: HookSource | undefined;
	/** Tools and behaviors that only this session has, such as the one that takes the result of an agent. */
	ownTools?: readonly SessionTool[] | undefined;
	ownBehaviors?: readonly Behavior[] | undefined;
	/** Tools of the parent's extensions. */
	parentTools?: readonly ParentTool[] | undefined;
	/** MCP servers; children of the session use the same ones. */
	mcp?: McpSource | undefined;
	/** Called with the environment of the tools of each run. */
	onEnv?: ((env: ToolEnv) => void) | undefined;
}

/** The only way in which a session is put together: for the command line, RPC, programs, extensions and children. */
export function openSession(parts: SessionParts): SessionHost {
	const files = new SessionFiles();
	const owns = new AsyncDisposableStack();
	owns.use(files);
	files.memory = owns.use(memoryOf(parts));
	if (parts.mcp) owns.use(parts.mcp);
	return new SessionHost({ ...coreParts(parts, files, false), owns });
}

/** A run with `--trust` is the user's yes. */
function memoryOf({
	settings,
	registry,
	stream,
	extensions,
	staysOpen,
	resources,
}: SessionParts): SessionMemory {
	const isUntrusted = (cwd: string): boolean => !resources?.isTrusted() && hasNoTrust(cwd, dirs().agent);
	return new SessionMemory({
		settings,
		registry,
		stream: stream ?? extensions?.stream,
		staysOpen,
		isUntrusted,
	});
}

function coreParts(parts: SessionParts, files: SessionFiles, isChild: boolean): CoreParts {
	return {
		...parts,
		stream: parts.stream ?? parts.extensions?.stream,
		isTrusted: () => trusts(parts.log.getCwd(), dirs().agent, parts.resources),
		policy: policyOptions(
			// A program that brings its own machine has decided what contains commands.
			{ ...(parts.machine ? { boundary: ownMachine } : {}), ...parts.policy, remote: parts.remote },
			parts.settings,
			parts.resources?.isTrusted,
		),
		lifecycle: parts.extensions,
		describeCall: describeToolCall,
		features: (context) => featuresOf(...onRemote(parts, context), files, isChild),
		derive: (request) => coreParts(childParts(parts, request), files, true),
	};
}

const ownMachine = { current: () => "container" as const, settle: async () => {} };

function featuresOf(
	parts: SessionParts,
	context: RunContext,
	files: SessionFiles,
	isChild: boolean,
): RunFeatures {
	const { extensions, settings } = parts;
	const fallbacks = new FileFallbacks();
	const journal = files.journal(parts, context, isChild);
	const owner = isChild ? files.projectEnv(parts) : undefined;
	const top = isChild ? files.mainEnv : undefined;
	const env = toolEnvOf(parts, context, fallbacks, journal, top);
	if (owner) env.services.provide(projectEnv, owner);
	if (!isChild) files.mainEnv = env;
	parts.onEnv?.(env);
	registerSchemes(parts, context, env);
	const running = (): number => env.services.peek(jobsService)?.running.length ?? 0;
	if (journal.recorder) {
		journal.recorder.isBusy = () => running() > 0;
		journal.recorder.hasLeftovers = () => env.services.peek(shellService)?.hasLeftovers === true;
	}
	const { tools, behaviors } = sessionTools(parts, env);
	const rules = sessionRules(parts.prompt.foundRules ?? [], settings);
	const prompt = { ...parts.prompt, rules, date: startDate(context.log) };
	const around = extensions?.behaviors;
	return {
		systemPrompt: (visible) => promptOf(parts, context.cwd, prompt, visible),
		tools,
		expand: expansionOf(parts, context, tools),
		owns: env.services,
		behaviors: {
			first: around ? [around.first] : [],
			middle: [
				...behaviors,
				prepareCalls(() => context.host.policy),
				planMode(context, tools, submitPlan),
				// An extension may have registered a tool of the same name.
				editGuard(env, (name) =>
					tools.entries.some(({ tool, source }) => tool.name === name && source === "builtin"),
				),
				...(env.machine.where.kind === "ssh" ? [] : [editDiagnostics(env)]),
				...ruleBehaviors(rules, env, context.log),
				...(files.memory && !isChild ? [files.memory.behavior(context)] : []),
				todoReminder(env),
				todoErrorReminder,
				goalKeeper(env),
				advisor(() => {
					const name = settings.get("advisor.model");
					return name ? namedModel(name, context.session().model, parts.registry)?.model : undefined;
				}),
				...(extensions ? [spawnEvents(extensions, context)] : []),
				...(parts.remote && !isChild ? [machineRecord(parts.remote, context)] : []),
				...(parts.ownBehaviors ?? []),
				...serverBehaviors(parts, context, tools, env),
			],
			last: [
				...hookBehaviors(parts, env, context),
				...(around ? [around.last] : []),
				...(journal.recorder ? [recordCommands(journal.recorder)] : []),
				...traceBehaviors(settings, context, env),
			],
		},
		shell: {
			run: runUserCommand(env),
			cell: (language) => runUserCell(language, env),
			intercept: (command, isPrivate) => interceptCommand(extensions, env, command, isPrivate),
			interceptPython: async (code, isPrivate) =>
				(await extensions?.userPython({ code, cwd: env.cwd, excludeFromContext: isPrivate }))?.result,
		},
		work: sessionWork(env, context, running, parts.remote),
		recorder: journal.recorder,
		memory: isChild ? undefined : files.memory,
		bind: (session) =>
			extensions?.link(extensionSession(parts, context, prompt, { session, tools, env, fallbacks })),
	};
}

function registerSchemes({ resources }: SessionParts, { log, cwd, host }: RunContext, env: ToolEnv): void {
	registerUrlScheme(env, "session", sessionUrls(log));
	registerUrlScheme(env, "memory", memoryUrls(cwd));
	registerUrlScheme(env, "agent", agentUrls(host.children));
	if (resources) registerUrlScheme(env, "skill", skillUrls(resources.skills));
}

function sessionWork(
	env: ToolEnv,
	{ host, session }: RunContext,
	running: () => number,
	remote: SessionMachine | undefined,
): SessionWork {
	const background = (): string[] =>
		env.services
			.peek(jobsService)
			?.background()
			.map(({ id }) => id) ?? [];
	return {
		jobs: { background, awaitedMs: () => env.services.peek(jobsService)?.awaitedMs, running },
		get holdsState() {
			return env.services.holdsState;
		},
		get goal() {
			return goalOf(env);
		},
		setGoal: (check) => setGoal(env, check),
		get todos() {
			return todoPhases(env);
		},
		setTodos: (phases) => editTodo(env, session(), phases),
		get machine() {
			return remote?.facts;
		},
		askAgent: async (id, question) => {
			const { resumeAgent } = await import("./resume-agent.ts");
			return await resumeAgent({ ...env, sessions: host.children }, id, question);
		},
	};
}

function spawnEvents(extensions: Extensions, { host }: RunContext): Behavior {
	return {
		name: "agent-spawns",
		attach: () => host.children.addHook(agentHook(() => extensions.runner)),
	};
}

/** What extensions work on. */
function extensionSession(
	parts: SessionParts,
	context: RunContext,
	prompt: SessionParts["prompt"],
	made: Pick<ExtensionSession, "session" | "tools" | "env" | "fallbacks">,
): ExtensionSession {
	const { settings, registry, resources } = parts;
	const { cwd, log } = context;
	return {
		...made,
		host: context.host,
		log,
		cwd,
		settings,
		registry,
		credentials: (model) => context.credentials(model),
		onRefused: (listener) => parts.store.onRefused(listener),
		addResources: (added) => resources !== undefined && addResources(resources, added),
		promptOptions: () => promptOptions(cwd, parts.prompt, resources?.skills ?? [], made.tools),
		buildPrompt: (options) => promptFrom(options, { ...prompt, ...surroundings(parts) }),
		toolSelection: parts.toolSelection,
	};
}

/** Skills and templates are filled in after extensions were asked about a prompt, in every client. */
function expansionOf(
	{ resources, mcp }: SessionParts,
	context: RunContext,
	registry: ToolRegistry,
): RunFeatures["expand"] {
	const onNotice = (message: string): Promise<void> =>
		context.session().emit({ type: "notice", level: "warning", message });
	if (!resources && !mcp) return undefined;
	return async (prompt, signal) => {
		const filled = resources ? await expandedPrompt(prompt, { resources, onNotice, signal }) : prompt;
		return (await mcp?.expand(filled, { registry }, signal)) ?? filled;
	};
}

function serverBehaviors(
	{ mcp, extensions }: SessionParts,
	context: RunContext,
	registry: ToolRegistry,
	env: ToolEnv,
): Behavior[] {
	if (!mcp) return [];
	const isUnasked = (): boolean => context.host.policy?.mode === "full";
	const registered = (): RegisteredServers | undefined => extensions?.runner.runtime.mcpServers;
	const { requests } = context;
	return [mcp.behavior({ registry, env: localEnv(env, context), requests, isUnasked, registered })];
}

function hookBehaviors(
	{ hooks }: SessionParts,
	env: ToolEnv,
	context: RunContext,
): RunFeatures["behaviors"]["last"] {
	if (!hooks) return [];
	const { log, isResumed } = context;
	const transcriptPath = (): string | undefined => log.getSessionFile();
	return [
		hooks.behavior({
			env: localEnv(env, context),
			sessionId: log.getSessionId(),
			transcriptPath,
			requests: context.requests,
			isResumed,
		}),
	];
}

function traceBehaviors(settings: Settings, { log }: RunContext, env: ToolEnv): Behavior[] {
	const endpoint = settings.get("traces.endpoint");
	if (endpoint === undefined || endpoint === "") return [];
	const exporter: ServiceKey<OtlpExporter> = {
		name: "exporter of traces",
		create: () =>
			new OtlpExporter({ endpoint, headers: otlpHeaders(process.env.OTEL_EXPORTER_OTLP_HEADERS) }),
	};
	return [traces(log, env.services.get(exporter, env))];
}

/** `a=b,c=d`, each value percent-encoded, as OpenTelemetry defines it. */
function otlpHeaders(text = ""): Record<string, string> {
	const pairs = [...text.matchAll(/([^=,\s]+)\s*=\s*([^,]*)/g)];
	return Object.fromEntries(
		pairs.map(([, name = "", value = ""]) => [name, decodeURIComponent(value.trim())]),
	);
}

function sessionRules(rules: readonly Rule[], settings: Settings): SortedRules {
	const builtin = settings.get("ttsr.builtinRules") ? builtinRules() : [];
	const own = builtin.filter(({ name }) => rules.every((rule) => rule.name !== name));
	return sortRules([...rules, ...own], {
		streamRules: settings.get("ttsr.enabled"),
		disabled: settings.get("ttsr.disabledRules"),
	});
}

/** Empty if there are no rules: no listener is needed then. */
function ruleBehaviors(rules: SortedRules, env: ToolEnv, log: SessionManager): Behavior[] {
	const { settings, cwd } = env;
	if (rules.all.length > 0) registerUrlScheme(env, "rule", ruleUrls(rules.all));
	if (rules.stream.length + rules.byFile.length + rules.notices.length === 0) return [];
	const modes = () => ({
		interruptMode: settings.get("ttsr.interruptMode"),
		contextMode: settings.get("ttsr.contextMode"),
		repeatMode: settings.get("ttsr.repeatMode"),
		repeatGap: settings.get("ttsr.repeatGap"),
	});
	return [ttsr({ ...rules, cwd, log, modes })];
}
