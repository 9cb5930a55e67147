/** What omp's main package has over pi's, as far as extensions use it. */
import { copyText } from "@tau/sys";
import * as tui from "@tau/tui";
import { dirs, log } from "@tau/utils";
import * as zod from "zod";
import {
	SessionManager,
	branchSummaryMessage,
	compactionSummaryMessage,
	customMessage,
	mostRecentSession,
} from "@tau/log";
import { convertToLlm } from "@tau/session/run";
import { isSettingPath, schema, Settings } from "@tau/config/settings";
import { noKey } from "@tau/extensions/providers";
import { builtinTools } from "@tau/integrations/builtin";

import { capabilityExports } from "./capability/index.ts";
import { ExtensionInputComponent, ExtensionEditorComponent } from "./components/dialogs.ts";
import { ExtensionSelectorComponent } from "./components/selectors.ts";
import * as theming from "./components/theming.ts";
import { configDirExports } from "./support/config-dirs.ts";
import { migrateSessionEntries, parseSessionEntries, type FileEntry } from "./support/entries.ts";
import { AuthStorage } from "./sdk/auth-storage.ts";
import { loadProjectContextFiles } from "./sdk/context-files.ts";
import {
	loadExtensionFromFactory,
	loadExtensions,
	discoverAndLoadExtensions,
	emitSessionShutdownEvent,
} from "./sdk/load-extensions.ts";
import { loadSkills } from "./sdk/skills.ts";
import { SettingsManager } from "./sdk/settings-manager.ts";

export function ompExports(): Record<string, unknown> {
	return {
		...messages,
		...sessions,
		...discovery,
		...capabilityExports,
		...configDirExports,
		...words,
		Container: tui.Container,
		Markdown: tui.Markdown,
		Spacer: tui.Spacer,
		Text: tui.Text,
		HookEditorComponent: ExtensionEditorComponent,
		HookInputComponent: ExtensionInputComponent,
		HookSelectorComponent: ExtensionSelectorComponent,
		theme: theming.theme,
		getThemeByName: theming.getThemeByName,
		getAvailableThemes: theming.getAvailableThemes,
		getEditorTheme: theming.getEditorTheme,
		z: zod.z,
		zod,
		logger: log,
		Settings,
		settings: ompSettings(),
		emitSessionShutdownEvent,
		loadExtensions,
		loadExtensionFromFactory,
	};
}

/** Messages that are not of models. */
const messages = {
	createBranchSummaryMessage: (summary: string, fromId: string, timestamp: string) =>
		branchSummaryMessage({ type: "branch_summary", id: "", parentId: null, summary, fromId, timestamp }),
	createCompactionSummaryMessage: (summary: string, tokensBefore: number, timestamp: string) =>
		compactionSummaryMessage({
			type: "compaction",
			id: "",
			parentId: null,
			summary,
			tokensBefore,
			firstKeptEntryId: "",
			timestamp,
		}),
	createCustomMessage: (
		customType: string,
		content: string,
		display: boolean,
		details: unknown,
		timestamp: string,
	) =>
		customMessage({
			type: "custom_message",
			id: "",
			parentId: null,
			customType,
			content,
			display,
			details,
			timestamp,
		}),
	bashExecutionToText: asText,
	pythonExecutionToText: asText,
};

/** A command or some Python as the model reads it. */
function asText(message: Parameters<typeof convertToLlm>[0][number]): string {
	const [converted] = convertToLlm([message]);
	if (converted?.role !== "user") return "";
	if (typeof converted.content === "string") return converted.content;
	return converted.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

const sessions = {
	listSessions: (cwd: string = process.cwd(), directory?: string) => SessionManager.list(cwd, directory),
	listAllSessions: () => SessionManager.listAll(),
	getRecentSessions: async (cwd: string = process.cwd(), limit: number = 3) =>
		(await SessionManager.list(cwd)).slice(0, limit),
	findMostRecentSession: (directory: string, cwd: string = process.cwd()) =>
		mostRecentSession(cwd, directory) ?? null,
	createSessionManager: (cwd: string = process.cwd()) => SessionManager.create(cwd),
	parseSessionContent: parseSessionEntries,
	migrateToCurrentVersion: (entries: FileEntry[]) => {
		migrateSessionEntries(entries);
		return entries;
	},
	loadEntriesFromFile: async (path: string) => {
		const entries = parseSessionEntries(await Bun.file(path).text());
		migrateSessionEntries(entries);
		return entries;
	},
};

const discovery = {
	discoverAuthStorage: async (agentDir: string = dirs().agent) => {
		const storage = AuthStorage.in(agentDir);
		await storage.ready();
		return storage;
	},
	discoverContextFiles: async (cwd: string = process.cwd(), agentDir: string = dirs().agent) =>
		loadProjectContextFiles({ cwd, agentDir }),
	discoverExtensions: (cwd: string = process.cwd()) => discoverAndLoadExtensions([], cwd),
	discoverSkills: async (cwd: string = process.cwd(), agentDir: string = dirs().agent) => {
		const { skills, diagnostics } = loadSkills({ cwd, agentDir });
		return { skills, warnings: diagnostics };
	},
};

/** omp's names for what is the same in Tau. */
const words = {
	MAIN_AGENT_ID: "main",
	DEFAULT_CUSTOM_MESSAGE_TYPE: "custom",
	USER_INTERRUPT_LABEL: "Interrupted by the user",
	TITLE_CHANGE_ENTRY_TYPE: "title_change",
	READ_ONLY_TOOL_NAMES: builtinTools.flatMap(({ name, approval }) => (approval === "read" ? [name] : [])),
	BUILTIN_TOOLS: Object.fromEntries(builtinTools.map((tool) => [tool.name, tool])),
	/** What `getApiKey` gives for a provider that needs no key. */
	kNoAuth: noKey,
	isAuthenticated: (key: string | null | undefined) => Boolean(key) && key !== noKey,
	generateId: (): string => crypto.randomUUID().slice(0, 8),
	copyToClipboard: (text: string) => copyText(text),
};

/** omp's one object for all settings, by path; a value set here applies to this process. */
function ompSettings(): object {
	let manager: SettingsManager | undefined;
	const there = (): SettingsManager => (manager ??= SettingsManager.create());
	return {
		get: (path: string): unknown =>
			there().get(path) ?? (isSettingPath(path) ? schema[path].default : undefined),
		set: (path: string, value: unknown): void => there().applyOverrides(nested(path.split("."), value)),
		override: (path: string, value: unknown): void => there().applyOverrides(nested(path.split("."), value)),
		flush: (): Promise<void> => there().flush(),
	};
}

function nested([key = "", ...rest]: readonly string[], value: unknown): Record<string, unknown> {
	return { [key]: rest.length === 0 ? value : nested(rest, value) };
}
