/** What extensions get when they import pi's main package or omp's. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";

import { estimateTokens, serializeConversation } from "@tau/agent";
import { copyText, lockFiles, commandEnvironment, runProgram } from "@tau/sys";
import {
	toolGuards,
	createLocalBashOperations,
	createEventBus,
	type SourceInfo,
	type ToolDefinition,
	type ExtensionFactory,
	type BashOperations,
} from "@tau/extensions/api";
import { loadSchemaLibraries, supportLimits as limits } from "@tau/extensions/support";
import { StringEnum, Type } from "@tau/extensions/typebox";
import { SessionLockedError, SessionManager, sessionVersion } from "@tau/log";
import { convertToLlm } from "@tau/session/run";
import { version, withoutDotenv } from "@tau/utils";
import { virtualStateEntry } from "@tau/extensions/providers";

import { currentApplication } from "./application.ts";
import * as branchSummary from "./branch-summary.ts";
import { toolFactories, createTool, type OwnTool, type ToolOptions } from "./builtin-tools.ts";
import * as compaction from "./support/compaction.ts";
import { componentExports } from "./components/index.ts";
import * as diffs from "./diffs.ts";
import { directoryExports } from "./support/directories.ts";
import * as entries from "./support/entries.ts";
import * as frontmatter from "./support/frontmatter.ts";
import { ompExports } from "./omp.ts";
import * as pictures from "./pictures.ts";
import {
	getDocsPath,
	getExamplesPath,
	getPackageDir,
	getPowerShellConfig,
	getReadmePath,
	getShellConfig,
} from "./support/paths.ts";
import { shareTheme } from "./components/theming.ts";
import { sdkExports } from "./sdk/index.ts";
import * as truncate from "./support/truncate.ts";

const nothing = (): ExtensionFactory => () => {};

/** Extensions that come with pi and that Tau has built in, so that loading them adds nothing. */
const bundledExtensions = {
	createCodemodeExtension: nothing,
	createMcpExtension: nothing,
	createToolSearchExtension: nothing,
	/** The kind of entry in which pi keeps how it chose among models. */
	VIRTUAL_MODEL_STATE_ENTRY: virtualStateEntry,
};

const { fileOpsOf: _, ...compactionExports } = compaction;

/** By pi's and omp's names: theirs where the two mean different things by one name. */
export async function forExtensions(): Promise<Record<string, unknown>> {
	// Tools can be wrapped and run by a program that loads no extension.
	await loadSchemaLibraries();
	shareTheme();
	return {
		...ompExports(),
		...toolGuards,
		...truncate,
		...frontmatter,
		...toolFactories(),
		...componentExports(),
		...sdkExports(),
		...entries,
		...compactionExports,
		...branchSummary,
		...diffs,
		...pictures,
		...bundledExtensions,
		...placeExports,
		...shellExports,
		VERSION: version,
		CURRENT_SESSION_VERSION: sessionVersion,
		...(await currentApplication()?.piExports()),
		SessionLockedError,
		SessionManager,
		StringEnum,
		Type,
		defineTool: (tool: ToolDefinition) => tool,
		convertToLlm,
		estimateTokens,
		serializeConversation,
		createEventBus,
		createSyntheticSourceInfo,
		withFileMutationQueue,
		copyToClipboard: (text: string) => copyText(text),
	};
}

const { CONFIG_DIR_NAME, getAgentDir } = directoryExports();

const placeExports = {
	CONFIG_DIR_NAME,
	getAgentDir,
	getDocsPath,
	getExamplesPath,
	getPackageDir,
	getReadmePath,
};

const shellExports = {
	createLocalBashOperations,
	createLocalPowerShellOperations,
	createPowerShellTool,
	createPowerShellToolDefinition: createPowerShellTool,
	getPowerShellConfig,
	getShellConfig,
	isPowerShellToolResult: ({ toolName }: { toolName: string }) => toolName === "powershell",
};

function createSyntheticSourceInfo(
	path: string,
	options: Partial<SourceInfo> & { source: string },
): SourceInfo {
	return { scope: "temporary", origin: "top-level", ...options, path };
}

/** Waits with all that change the file, the built-in tools too. */
async function withFileMutationQueue<T>(path: string, change: () => Promise<T>): Promise<T> {
	using lock = await lockFiles([realOf(path)], new AbortController().signal);
	if (!lock) throw new Error(`Another process is writing ${path}.`);
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

/** Runs commands in PowerShell; fails on a machine without one. */
function createLocalPowerShellOperations(): BashOperations {
	return {
		async exec(command, cwd, { onData, signal, timeout, env = withoutDotenv() }) {
			const { shell, args } = getPowerShellConfig();
			const { exitCode } = await runProgram({
				command: [shell, ...args, command],
				cwd,
				env: commandEnvironment(env),
				input: "",
				timeoutMs: timeout === undefined ? limits.execMs : timeout * 1000,
				signal: signal ?? new AbortController().signal,
				onOutput: (chunk) => onData(Buffer.from(chunk)),
				onError: (chunk) => onData(Buffer.from(chunk)),
			});
			return { exitCode: exitCode ?? null };
		},
	};
}

/** The `bash` tool with PowerShell as its shell. */
function createPowerShellTool(cwd: string, options: ToolOptions<"bash"> = {}): OwnTool {
	const { operations = createLocalPowerShellOperations() } = options;
	const tool = createTool("bash", cwd, { ...options, operations });
	return { ...tool, name: "powershell", label: "PowerShell" };
}
