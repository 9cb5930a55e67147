/** The parts of the system prompt by pi's names, for extensions that read or change them, and the prompt made of these. */
import type { BuildSystemPromptOptions } from "../api/event-types.ts";
import type { SessionTool, SessionTools } from "@tau/session/run";
import { promptAdditions } from "../host/tools.ts";
import { listSkills, type Skill } from "@tau/resources/skills";
import { systemPrompt, type SystemPromptOptions } from "../system-prompt/system-prompt.ts";
import type { SessionParts } from "./open-session.ts";

type PromptParts = Omit<SystemPromptOptions, "cwd" | "tools" | "skills">;

/** What the prompt of a session depends on, besides its tools. */
type PromptSources = Pick<SessionParts, "resources" | "settings" | "remote">;

/** The prompt follows the tools, and the skills that extensions provide. */
export function promptOf(
	parts: PromptSources,
	cwd: string,
	prompt: SessionParts["prompt"],
	tools: readonly SessionTool[],
): string {
	return systemPrompt({
		cwd,
		tools: tools.map(({ name }) => name),
		...prompt,
		...surroundings(parts),
		skills: listSkills(parts.resources?.skills ?? []),
		...promptAdditions(tools),
	});
}

/** What the prompt says about where the session works. */
export function surroundings({
	settings,
	remote,
}: PromptSources): Pick<SystemPromptOptions, "directories" | "machine" | "isRepository"> {
	return {
		directories: settings.get("additionalDirectories"),
		...(remote?.current ? { machine: remote.current.name, isRepository: false } : {}),
	};
}

export function promptOptions(
	cwd: string,
	{ replace, append, contextFiles }: PromptParts,
	skills: readonly Skill[],
	{ visible, entries }: SessionTools,
): BuildSystemPromptOptions {
	// Also what inactive tools say, in case a handler selects them.
	const tools = entries.map(({ tool }) => tool);
	return {
		cwd,
		...(replace === undefined ? {} : { customPrompt: replace }),
		...(append === undefined ? {} : { appendSystemPrompt: append }),
		...(contextFiles ? { contextFiles: contextFiles.map(({ path, content }) => ({ path, content })) } : {}),
		selectedTools: visible.map(({ name }) => name),
		hiddenTools: [],
		toolSnippets: promptAdditions(tools).snippets,
		toolGuidelines: Object.fromEntries(
			tools.flatMap(({ name, promptGuidelines }) =>
				promptGuidelines ? [[name, [...promptGuidelines]]] : [],
			),
		),
		promptGuidelines: [],
		skills: skills.map(({ name, description, path, directory, isHidden }) => ({
			name,
			description,
			filePath: path,
			...(directory === undefined ? {} : { baseDir: directory }),
			disableModelInvocation: isHidden,
		})),
		sections: {},
	};
}

/** Extensions are not always typed: what has another form than it should is left out. */
export function promptFrom(options: BuildSystemPromptOptions, prompt: PromptParts): string {
	const { cwd, customPrompt, appendSystemPrompt, contextFiles = [], skills = [] } = options;
	const { replace: _, append: __, ...rest } = prompt;
	const shown = new Set(texts(options.selectedTools)).difference(new Set(texts(options.hiddenTools)));
	const isShown = (name: string): boolean => shown.has(name);
	return systemPrompt({
		...rest,
		cwd,
		tools: [...shown],
		...(typeof customPrompt === "string" ? { replace: customPrompt } : {}),
		...(typeof appendSystemPrompt === "string" ? { append: appendSystemPrompt } : {}),
		contextFiles: contextFiles.map(({ path, content }) => ({ path, content, level: "project" })),
		skills: listSkills(
			skills.map(({ name, description, filePath, disableModelInvocation = false }) => ({
				name,
				description,
				path: filePath,
				isHidden: disableModelInvocation,
			})),
		),
		snippets: Object.fromEntries(
			Object.entries(options.toolSnippets ?? {}).filter(
				([name, text]) => isShown(name) && typeof text === "string",
			),
		),
		guidelines: [
			...Object.entries(options.toolGuidelines ?? {}).flatMap(([name, rules]) =>
				isShown(name) ? texts(rules) : [],
			),
			...texts(options.promptGuidelines),
		],
	});
}

function texts(list: unknown): string[] {
	return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}
