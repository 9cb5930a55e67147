/** What extensions get when they import pi's main package, or ours. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";

import { estimateTokens, prepareCompaction, serializeConversation } from "@tau/agent";
import { copyText } from "@tau/sys";
import * as tui from "@tau/tui";
import { dirs } from "@tau/utils";

import * as door from "../../../index.ts";
import { version } from "../../../cli/version.ts";
import { CustomEditor } from "../../../modes/interactive/custom-editor.ts";
import { convertToLlm } from "../../../session/convert-to-llm.ts";
import { buildContext } from "../../../session/log/context.ts";
import { sessionVersion, type SessionEntry } from "../../../session/log/entry.ts";
import { lockFiles } from "../../../tools/files/file-lock.ts";
import { createLocalBashOperations } from "../bash-operations.ts";
import { createEventBus } from "../event-bus.ts";
import * as guards from "../guards.ts";
import type { SourceInfo, ToolDefinition } from "../types.ts";
import { screenTheme } from "../ui/screen-theme.ts";
import { toolFactories } from "./builtin-tools.ts";
import * as frontmatter from "./frontmatter.ts";
import * as truncate from "./truncate.ts";

/** By our own name: the door of the application. */
export function ownExports(): Record<string, unknown> {
	return { ...door };
}

/** By pi's and omp's names: theirs where the two mean different things by one name. */
export function forExtensions(): Record<string, unknown> {
	return {
		...componentsOf(tui),
		...door,
		...guards,
		...truncate,
		...frontmatter,
		...toolFactories(),
		CustomEditor,
		getMarkdownTheme: () => tui.markdownTheme(screenTheme()),
		getSelectListTheme: () => tui.selectListTheme(screenTheme()),
		getSettingsListTheme: () => tui.settingsListTheme(screenTheme()),
		VERSION: version,
		CURRENT_SESSION_VERSION: sessionVersion,
		getAgentDir: () => dirs().agent,
		defineTool: (tool: ToolDefinition) => tool,
		convertToLlm,
		estimateTokens,
		serializeConversation,
		prepareCompaction,
		buildSessionContext,
		getLatestCompactionEntry: (entries: readonly SessionEntry[]) =>
			entries.findLast(({ type }) => type === "compaction") ?? null,
		createEventBus,
		createLocalBashOperations,
		createSyntheticSourceInfo,
		withFileMutationQueue,
		copyToClipboard: (text: string) => copyText(text),
	};
}

/** Components that pi keeps in its main package, and the colours. */
function componentsOf(all: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const names = ["BorderedLoader", "DynamicBorder", "Theme", "keyHint", "keyText", "rawKeyHint"];
	const rest = ["highlightCode", "getLanguageFromPath", "initTheme", "renderDiff", "truncateToVisualLines"];
	return Object.fromEntries([...names, ...rest].map((name) => [name, all[name]]));
}

/** Without a leaf, up to the last entry. */
function buildSessionContext(entries: readonly SessionEntry[], leafId?: string | null) {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const path: SessionEntry[] = [];
	let at = leafId === undefined ? entries.at(-1) : byId.get(leafId ?? "");
	while (at && path.length <= entries.length) {
		path.unshift(at);
		at = byId.get(at.parentId ?? "");
	}
	return buildContext({
		heads: path,
		entry: (index) => {
			const entry = path[index];
			if (!entry) throw new RangeError(`The path has no entry ${index}.`);
			return entry;
		},
	});
}

function createSyntheticSourceInfo(
	path: string,
	options: Partial<SourceInfo> & { source: string },
): SourceInfo {
	return { scope: "temporary", origin: "top-level", ...options, path };
}

/** Waits with all that change the file, the built-in tools too. */
async function withFileMutationQueue<T>(path: string, change: () => Promise<T>): Promise<T> {
	using lock = await lockFiles([realOf(path)], new AbortController().signal);
	if (!lock) throw new Error(`Somebody else is writing ${path}.`);
	return await change();
}

function realOf(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// A new file has nothing to be resolved but its name.
		return resolve(path);
	}
}
