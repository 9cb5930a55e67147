/** Builds a session from its parts: keys, prompt, tools and the behaviors that every session has. */
import { resolve } from "node:path";

import type { CredentialStore, Model, ThinkingLevel } from "@tau/ai";
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
import { artifactsDir } from "@tau/session/log";
import { type ModelRegistry, KeySource } from "@tau/session/models";
import type { SessionTool } from "@tau/session/run";
import type { Settings } from "@tau/session/settings";
import { editGuard } from "@tau/tools/edit";
import type { ToolSelection } from "@tau/tools/registry";
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
import { promptAdditions } from "../host/tools.ts";
import type { SessionSide } from "../api/side.ts";
import type { HookSource } from "../hooks/hook-source.ts";
import { listSkills, skillUrls } from "../skills/index.ts";
import { expandedPrompt } from "../prompt-templates/expanded-prompt.ts";
import { systemPrompt, type SystemPromptOptions } from "../system-prompt/system-prompt.ts";
import { ruleBehaviors, sessionRules } from "./session-rules.ts";
import { sessionTools } from "./session-tools.ts";

export interface SessionParts {
	cwd: string;
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
	/** Those of Tau and of the program; extensions register theirs besides. */
	tools: readonly BuiltinTool[];
	/** Which tools the session may use, also of those that come later; by default what the settings say. */
	toolSelection?: ToolSelection | undefined;
	budget: Budget;
	compaction: CompactionSettings;
	/** Present where a new session is to be named; `TITLE_SYSTEM.md` may lie in `agentDir`. */
	title?: { agentDir: string } | undefined;
	/** Skills and prompt templates that were found; the system prompt names the skills by itself. */
	resources?: Resources | undefined;
	/** Extensions that were loaded for the run; every session of it is tied to them. */
	extensions?: Extensions | undefined;
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
	const place: ToolPlace = {
		cwd,
		env: registry.withoutKeys(parts.env),
		resolve: (path: string) => resolve(cwd, expandHome(path)),
		settings,
		artifacts: new ArtifactDirectory(() => artifactsOf(sessionLog, () => shelf.get(temporary, place))),
		shelf,
		conversation: conversationOf(() => session),
		...(parts.ask ? { ask: parts.ask } : {}),
	};
	parts.onPlace?.(place);
	if (parts.resources) registerUrlScheme(place, "skill", skillUrls(parts.resources.skills));
	const { tools, selection } = sessionTools(parts, place);
	const around = parts.extensions?.behaviors;
	const rules = sessionRules(parts.prompt.foundRules ?? [], settings);
	const prompt = { ...parts.prompt, rules };
	const session: AgentSession = new AgentSession({
		model,
		systemPrompt: (visible) => promptOf(parts, prompt, visible),
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
			selection,
			editGuard(place, (name) =>
				tools.entries.some(({ tool, source }) => tool.name === name && source === "builtin"),
			),
			...ruleBehaviors(rules, place, kept),
			todoReminder(place),
			autoCompaction(compactor, parts.compaction),
			...(more.behaviors ?? []),
			...hookBehaviors(parts, place, sessionId, more.messages),
			...(around ? [around.last] : []),
		],
	});
	parts.extensions?.link(sideOf(parts, { session, log: kept, tools, place, keys }));
	return session;
}

/** The prompt follows the tools, and the skills that extensions bring along. */
function promptOf(
	{ cwd, resources }: SessionParts,
	prompt: SessionParts["prompt"],
	tools: readonly SessionTool[],
): string {
	const skills = listSkills(resources?.skills ?? []);
	return systemPrompt({
		cwd,
		tools: tools.map(({ name }) => name),
		...prompt,
		skills,
		...promptAdditions(tools),
	});
}

/** What extensions work on. */
function sideOf(
	parts: SessionParts,
	made: Pick<SessionSide, "session" | "log" | "tools" | "place"> & { keys: KeySource },
): SessionSide {
	const { cwd, settings, registry, resources } = parts;
	const { keys, ...side } = made;
	return {
		...side,
		cwd,
		settings,
		registry,
		credentials: (asked) => keys.for(asked),
		onRefused: (listener) => parts.store.onRefused(listener),
		addResources: (found) => resources !== undefined && addResources(resources, found),
		promptOptions: promptFacts(cwd, parts.prompt),
		toolSelection: parts.toolSelection,
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
