/** Builds a session from its parts: keys, prompt, tools and the behaviors that every session has. */
import { resolve } from "node:path";

import type { CredentialStore, Model, ThinkingLevel } from "@tau/ai";
import { FileFallbacks, localMachine, withFallback, withObserver, type Machine } from "@tau/sys";
import { expandHome, uuidv7, type Env } from "@tau/utils";
import {
	AgentSession,
	autoCompaction,
	budgetGuard,
	Compactor,
	credentialFeedback,
	persistence,
	SessionManager,
	sessionTitle,
	UsageLedger,
	type AgentSessionOptions,
	type Behavior,
	type Budget,
	type CompactionSettings,
} from "@tau/session";
import { ArtifactDirectory, TemporaryDirectory } from "@tau/session/artifacts";
import { askTitle } from "@tau/session/behaviors";
import { ChangeJournal } from "@tau/session/journal";
import { artifactsDir } from "@tau/session/log";
import { type ModelRegistry, KeySource } from "@tau/session/models";
import type { Settings } from "@tau/session/settings";
import { editGuard } from "@tau/tools/edit";
import { todoReminder } from "@tau/tools/todo";
import {
	type BuiltinTool,
	type AskPerson,
	type ToolConversation,
	type ToolPlace,
	Shelf,
	type Slot,
} from "@tau/tools/tool";
import { registerUrlScheme } from "@tau/tools/urls";

import { addResources } from "../resources/more-resources.ts";
import type { Resources } from "../resources/resources.ts";
import type { BuildSystemPromptOptions } from "../api/event-types.ts";
import type { Extensions } from "../host/extensions.ts";
import type { SessionSide, ToolWish } from "../api/side.ts";
import type { HookSource } from "../hooks/hook-source.ts";
import { listSkills, skillUrls } from "../skills/index.ts";
import { expandedPrompt } from "../prompt-templates/expanded-prompt.ts";
import { systemPrompt, type SystemPromptOptions } from "../system-prompt/system-prompt.ts";
import { ruleBehaviors, sessionRules } from "./session-rules.ts";

export interface SessionParts {
	cwd: string;
	/** Where the tools work; the machine that Tau runs on without it. */
	machine?: Machine | undefined;
	/** What commands of the model are run with, before the keys are taken out. */
	env: Env;
	settings: Settings;
	store: CredentialStore;
	registry: ModelRegistry;
	model: Model;
	thinking?: ThinkingLevel | undefined;
	/** Absent where nothing is kept. */
	sessionLog: SessionManager | undefined;
	/** Whether the key for the model's provider was given for this run. */
	hasOwnKey: boolean;
	prompt: Omit<SystemPromptOptions, "cwd" | "tools">;
	tools: readonly BuiltinTool[];
	budget: Budget;
	compaction: CompactionSettings;
	/** Present where a new session is to be named; `TITLE_SYSTEM.md` may lie in `agentDir`. */
	title?: { agentDir: string } | undefined;
	/** Skills and prompt templates that were found; the system prompt names the skills by itself. */
	resources?: Resources | undefined;
	/** Extensions that were loaded for the run; every session of it is tied to them. */
	extensions?: Extensions | undefined;
	/** What the person wants of the tools of extensions. */
	extensionTools?: ToolWish | undefined;
	/** Commands that run when something happens; every session of the run is tied to them. */
	hooks?: HookSource | undefined;
	onNotice(message: string): void;
	/** Asks the person; absent where nobody can answer. */
	ask?: AskPerson;
	/** Told where the tools of the new session work: whoever runs commands for the person uses the same shell. */
	onPlace?(place: ToolPlace): void;
}

/** `more` stands above the parts. */
export function createSession(parts: SessionParts, more: Partial<AgentSessionOptions> = {}): AgentSession {
	const { cwd, settings, registry, model, sessionLog } = parts;
	const sessionId = sessionLog?.getSessionId() ?? uuidv7();
	const newKeys = (): KeySource =>
		new KeySource({
			store: parts.store,
			registry,
			sessionId,
			...(parts.hasOwnKey ? { overridden: model.provider } : {}),
			onNotice: parts.onNotice,
		});
	const keys = newKeys();
	// Where nothing is kept, a long conversation has to be compacted all the same.
	const kept = sessionLog ?? SessionManager.inMemory(cwd);
	const compactor = new Compactor(kept, parts.compaction);
	const shelf = new Shelf();
	const fallbacks = new FileFallbacks();
	const journal = new ChangeJournal({ leafId: () => kept.getLeafId() });
	const place: ToolPlace = {
		cwd,
		machine: withFallback(withObserver(parts.machine ?? localMachine(), journal), fallbacks),
		journal,
		env: registry.withoutKeys(parts.env),
		resolve: (path: string) => resolve(cwd, expandHome(path)),
		settings,
		artifacts: new ArtifactDirectory(() => artifactsOf(sessionLog, () => shelf.get(temporary, place))),
		shelf,
		conversation: conversationOf(() => session),
		...(parts.ask ? { ask: parts.ask } : {}),
	};
	// It ends with the session, as the tools do.
	shelf.get({ name: "change journal", create: () => journal }, place);
	parts.onPlace?.(place);
	if (parts.resources) registerUrlScheme(place, "skill", skillUrls(parts.resources.skills));
	const tools = parts.tools.map((tool) => tool.bind(place));
	const around = parts.extensions?.behaviors;
	const rules = sessionRules(parts.prompt.foundRules ?? [], settings);
	const prompt = { ...parts.prompt, rules, skills: listSkills(parts.resources?.skills ?? []) };
	const session: AgentSession = new AgentSession({
		model,
		systemPrompt: systemPrompt({ cwd, tools: parts.tools.map(({ name }) => name), ...prompt }),
		tools,
		steeringMode: settings.get("steeringMode"),
		followUpMode: settings.get("followUpMode"),
		...(parts.thinking ? { thinking: parts.thinking } : {}),
		credentials: (asked) => keys.for(asked),
		owns: shelf,
		compactor,
		expand: expansionOf(parts, (message) => session.tell({ type: "notice", level: "warning", message })),
		...(sessionLog ? { usage: new UsageLedger(() => sessionLog.spent()) } : {}),
		...more,
		behaviors: [
			...(around ? [around.first] : []),
			persistence(kept),
			...(sessionLog && parts.title
				? // With keys of its own: what becomes of this request says nothing about those of the conversation.
					[sessionTitle(sessionLog, askTitle({ registry, keys: newKeys(), ...parts.title }))]
				: []),
			credentialFeedback((provider, outcome) => keys.report(provider, outcome)),
			budgetGuard(parts.budget),
			editGuard(place, {
				isBuiltIn: (tool) => tools.includes(tool),
				isReadOnly: (name) => parts.tools.some((tool) => tool.name === name && tool.approval === "read"),
			}),
			...ruleBehaviors(rules, place, kept),
			todoReminder(place),
			autoCompaction(compactor, parts.compaction),
			...(more.behaviors ?? []),
			...hookBehaviors(parts, place, sessionId, more.messages),
			...(around ? [around.last] : []),
		],
	});
	parts.extensions?.link(sideOf(parts, { session, log: kept, tools, place, fallbacks, prompt, keys }));
	return session;
}

/** What extensions work on. */
function sideOf(
	parts: SessionParts,
	made: Pick<SessionSide, "session" | "log" | "tools" | "place" | "fallbacks"> & {
		prompt: Omit<SystemPromptOptions, "cwd" | "tools">;
		keys: KeySource;
	},
): SessionSide {
	const { cwd, settings, registry, resources } = parts;
	const { prompt, keys, ...side } = made;
	return {
		...side,
		cwd,
		settings,
		registry,
		credentials: (asked) => keys.for(asked),
		onRefused: (listener) => parts.store.onRefused(listener),
		// Extensions may have brought skills along since.
		systemPrompt: (names, added) =>
			systemPrompt({ cwd, tools: names, ...prompt, skills: listSkills(resources?.skills ?? []), ...added }),
		addResources: (found) => resources !== undefined && addResources(resources, found),
		promptOptions: promptFacts(cwd, parts.prompt),
		wantedTools: parts.extensionTools,
	};
}

/** What a prompt calls is put in after extensions were asked about it, in every mode. */
function expansionOf(
	{ resources }: SessionParts,
	onNotice: (message: string) => Promise<void>,
): AgentSessionOptions["expand"] {
	return resources && ((prompt, signal) => expandedPrompt(prompt, { resources, onNotice, signal }));
}

function hookBehaviors(
	{ hooks, sessionLog }: SessionParts,
	place: ToolPlace,
	sessionId: string,
	messages: AgentSessionOptions["messages"] = [],
): Behavior[] {
	if (!hooks) return [];
	const transcriptPath = (): string | undefined => sessionLog?.getSessionFile();
	return [hooks.behavior({ place, sessionId, transcriptPath, isResumed: messages.length > 0 })];
}

/** What extensions may know of the system prompt, by pi's names. */
function promptFacts(cwd: string, prompt: SessionParts["prompt"]): BuildSystemPromptOptions {
	const { replace, append, contextFiles } = prompt;
	return {
		cwd,
		...(replace === undefined ? {} : { customPrompt: replace }),
		...(append === undefined ? {} : { appendSystemPrompt: append }),
		...(contextFiles ? { contextFiles: contextFiles.map(({ path, content }) => ({ path, content })) } : {}),
	};
}

/** The tools are made before the session that they serve, and used after. */
function conversationOf(there: () => AgentSession): ToolConversation {
	return {
		get model() {
			return there().model;
		},
		get messages() {
			return there().state.messages;
		},
		tell: (event) => there().tell(event),
		say: (text) => there().followUp({ text }),
	};
}

const temporary: Slot<TemporaryDirectory> = {
	name: "directory for temporary files",
	create: () => new TemporaryDirectory(),
};

/** Where nothing is kept, long outputs lie in a directory that goes with the session. */
function artifactsOf(sessionLog: SessionManager | undefined, without: () => TemporaryDirectory): string {
	const file = sessionLog?.getSessionFile();
	return file ? artifactsDir(file) : without().path;
}
