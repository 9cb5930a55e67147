/** Loading extensions by pi's functions, for programs that run them themselves. */
import type { AgentTool } from "@tau/agent";
import { dirs, log } from "@tau/utils";
import { Extension, type ExtensionFactory } from "@tau/extensions/api";
import { Runtime, ToolTable } from "@tau/extensions/host";
import { ToolRegistry } from "@tau/tools/registry";
import { discoverExtensions } from "@tau/extensions/load";
import { currentScope } from "@tau/extensions/support";
import { isTrusted } from "@tau/extensions/trust";

import { loadWithModules } from "./load-with-modules.ts";
import type { ExtensionRunner, RegisteredTool } from "./extension-runner.ts";
import { onlyInline, type LoadExtensionsResult } from "./resource-loader.ts";
import { ownAgentDir } from "../support/directories.ts";

/** Until it is bound to a session, acting throws. */
export function createExtensionRuntime(): Runtime {
	return new Runtime();
}

/** Those in the usual directories, and the named ones. */
export function discoverAndLoadExtensions(
	configuredPaths: readonly string[] = [],
	cwd: string = process.cwd(),
	agentDir?: string,
): Promise<LoadExtensionsResult> {
	return load(configuredPaths, cwd, ownAgentDir(agentDir), true);
}

/** What is named, and nothing else. */
export function loadExtensions(
	paths: readonly string[],
	cwd: string = process.cwd(),
): Promise<LoadExtensionsResult> {
	return load(paths, cwd, dirs().agent, false);
}

/** Rejects with what is wrong with it. */
export async function loadExtensionFromFactory(
	factory: ExtensionFactory,
	cwd: string = process.cwd(),
): Promise<Extension> {
	const { runner, problems } = await onlyInline(cwd, [factory]);
	const [extension] = runner.extensions;
	if (!extension) throw new Error(problems[0]?.error ?? "The extension was not loaded.");
	return extension;
}

async function load(
	paths: readonly string[],
	cwd: string,
	agentDir: string,
	withDiscovery: boolean,
): Promise<LoadExtensionsResult> {
	const request = {
		cwd,
		home: dirs().home,
		agentDir,
		explicit: paths,
		configured: [],
		disabled: [],
		withDiscovery,
		isTrusted: isTrusted(cwd, agentDir),
	};
	const { runner, problems } = await loadWithModules({
		...request,
		discovery: await discoverExtensions(request),
		onNotice: (message) => log.warn(message),
	});
	return { extensions: runner.extensions, errors: [...problems], runtime: runner.runtime };
}

/** A tool of an extension as the loop runs it. */
export function wrapRegisteredTool(
	registered: RegisteredTool,
	runner: Pick<ExtensionRunner, "createContext">,
): AgentTool {
	const [tool] = wrapRegisteredTools([registered], runner);
	if (!tool) throw new Error("The tool has no definition.");
	return tool;
}

export function wrapRegisteredTools(
	registered: readonly RegisteredTool[],
	runner: Pick<ExtensionRunner, "createContext">,
): AgentTool[] {
	const extensions = registered.map(({ definition, sourceInfo }) => {
		const extension = new Extension(sourceInfo?.path ?? "", sourceInfo);
		extension.tools.set(definition.name, definition);
		return extension;
	});
	const table = new ToolTable({
		registry: new ToolRegistry(),
		extensions,
		scope: currentScope(),
		contextOf: () => runner.createContext(),
		onTerminate: () => {},
		onAside: () => {},
	});
	return [...table.active];
}

/** Says whether anybody listened. */
export async function emitSessionShutdownEvent(
	runner: { hasHandlers?(type: string): boolean; emit(event: { type: string }): Promise<unknown> },
	event: { type: string } = { type: "session_shutdown" },
): Promise<boolean> {
	if (runner.hasHandlers?.(event.type) === false) return false;
	await runner.emit(event);
	return true;
}
