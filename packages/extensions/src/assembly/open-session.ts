/** Opens a session with everything that Tau adds to it: tools, prompt, rules, hooks, skills and extensions. */
import { resolve } from "node:path";

import { ArtifactDirectory, TemporaryDirectory } from "@tau/session/artifacts";
import {
	SessionHost,
	type Question,
	type RunContext,
	type RunFeatures,
	type SessionParts as CoreParts,
} from "@tau/session/host";
import { artifactsDir } from "@tau/session/log";
import { editGuard } from "@tau/tools/edit";
import { todoReminder } from "@tau/tools/todo";
import { Shelf, type BuiltinTool, type Slot, type ToolPlace } from "@tau/tools/tool";
import { registerUrlScheme } from "@tau/tools/urls";
import { expandHome, type Env } from "@tau/utils";

import type { BuildSystemPromptOptions } from "../api/event-types.ts";
import type { SessionSide, ToolWish } from "../api/side.ts";
import type { Extensions } from "../host/extensions.ts";
import type { HookSource } from "../hooks/hook-source.ts";
import { expandedPrompt } from "../prompt-templates/expanded-prompt.ts";
import { addResources } from "../resources/more-resources.ts";
import type { Resources } from "../resources/resources.ts";
import { listSkills, skillUrls } from "../skills/index.ts";
import { systemPrompt, type SystemPromptOptions } from "../system-prompt/system-prompt.ts";
import { ruleBehaviors, sessionRules } from "./session-rules.ts";
import { interceptCommand, runUserCommand } from "./user-commands.ts";

export interface SessionParts extends Omit<CoreParts, "features" | "lifecycle"> {
	/** What commands of the model are run with, before the keys are taken out. */
	env: Env;
	prompt: Omit<SystemPromptOptions, "cwd" | "tools">;
	tools: readonly BuiltinTool[];
	/** Skills and prompt templates; the system prompt names the skills by itself. */
	resources?: Resources | undefined;
	/** Loaded for the run; every session of it is bound to them. */
	extensions?: Extensions | undefined;
	/** Which tools of extensions are active. */
	extensionTools?: ToolWish | undefined;
	/** Commands that run when something happens. */
	hooks?: HookSource | undefined;
	/** Called with the environment of the tools of each run. */
	onPlace?: ((place: ToolPlace) => void) | undefined;
}

/** The only way in which a session is put together: for the command line, RPC, programs, extensions and children. */
export function openSession(parts: SessionParts): SessionHost {
	return new SessionHost({
		...parts,
		lifecycle: parts.extensions,
		features: (context) => featuresOf(parts, context),
	});
}

function featuresOf(parts: SessionParts, context: RunContext): RunFeatures {
	const { extensions, settings } = parts;
	const place = placeOf(parts, context);
	parts.onPlace?.(place);
	if (parts.resources) registerUrlScheme(place, "skill", skillUrls(parts.resources.skills));
	const tools = parts.tools.map((tool) => tool.bind(place));
	const rules = sessionRules(parts.prompt.foundRules ?? [], settings);
	const prompt = { ...parts.prompt, rules, skills: listSkills(parts.resources?.skills ?? []) };
	const around = extensions?.behaviors;
	return {
		systemPrompt: systemPrompt({ cwd: context.cwd, tools: parts.tools.map(({ name }) => name), ...prompt }),
		tools,
		expand: expansionOf(parts, context),
		owns: place.shelf,
		behaviors: {
			first: around ? [around.first] : [],
			middle: [
				editGuard(place, {
					// An extension may have brought a tool of the same name.
					isBuiltIn: (tool) => tools.includes(tool),
					isReadOnly: (name) => parts.tools.some((tool) => tool.name === name && tool.approval === "read"),
				}),
				...ruleBehaviors(rules, place, context.log),
				todoReminder(place),
			],
			last: [...hookBehaviors(parts, place, context), ...(around ? [around.last] : [])],
		},
		shell: {
			run: runUserCommand(place),
			intercept: (command, isPrivate) => interceptCommand(extensions, place, command, isPrivate),
		},
		bind: (session) => extensions?.link(sideOf(parts, context, { session, tools, place, prompt })),
	};
}

function placeOf(parts: SessionParts, context: RunContext): ToolPlace {
	const { cwd, log, requests } = context;
	const shelf = new Shelf();
	const place: ToolPlace = {
		cwd,
		env: parts.registry.withoutKeys(parts.env),
		resolve: (path: string) => resolve(cwd, expandHome(path)),
		settings: parts.settings,
		artifacts: new ArtifactDirectory(() => {
			const file = log.getSessionFile();
			return file ? artifactsDir(file) : shelf.get(temporary, place).path;
		}),
		shelf,
		conversation: {
			get model() {
				return context.session().model;
			},
			get messages() {
				return context.session().state.messages;
			},
			tell: (event) => context.session().tell(event),
			say: (text) => context.session().followUp({ text }),
		},
		/** Decided at each call: a client may have connected or gone since. */
		get ask() {
			if (!requests.canAsk("questions")) return undefined;
			return async (questions: readonly Question[], signal: AbortSignal) => {
				const answer = await requests.ask("questions", { questions }, { signal });
				return answer?.answers;
			};
		},
	};
	return place;
}

/** What extensions work on. */
function sideOf(
	parts: SessionParts,
	context: RunContext,
	made: Pick<SessionSide, "session" | "tools" | "place"> & {
		prompt: Omit<SystemPromptOptions, "cwd" | "tools">;
	},
): SessionSide {
	const { settings, registry, resources } = parts;
	const { prompt, ...side } = made;
	const { cwd, log } = context;
	return {
		...side,
		host: context.host,
		log,
		cwd,
		settings,
		registry,
		credentials: (model) => context.credentials(model),
		onRefused: (listener) => parts.store.onRefused(listener),
		// Extensions may have brought skills along since.
		systemPrompt: (names, added) =>
			systemPrompt({ cwd, tools: names, ...prompt, skills: listSkills(resources?.skills ?? []), ...added }),
		addResources: (found) => resources !== undefined && addResources(resources, found),
		promptOptions: promptFacts(cwd, parts.prompt),
		wantedTools: parts.extensionTools,
	};
}

/** Skills and templates are filled in after extensions were asked about a prompt, in every client. */
function expansionOf({ resources }: SessionParts, context: RunContext): RunFeatures["expand"] {
	const onNotice = (message: string): Promise<void> =>
		context.session().tell({ type: "notice", level: "warning", message });
	return resources && ((prompt, signal) => expandedPrompt(prompt, { resources, onNotice, signal }));
}

function hookBehaviors(
	{ hooks }: SessionParts,
	place: ToolPlace,
	{ log, isResumed }: RunContext,
): RunFeatures["behaviors"]["last"] {
	if (!hooks) return [];
	const transcriptPath = (): string | undefined => log.getSessionFile();
	return [
		hooks.behavior({
			place,
			sessionId: log.getSessionId(),
			transcriptPath,
			isResumed,
		}),
	];
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

/** Where nothing is kept, long outputs lie in a directory that goes with the session. */
const temporary: Slot<TemporaryDirectory> = {
	name: "directory for temporary files",
	create: () => new TemporaryDirectory(),
};
