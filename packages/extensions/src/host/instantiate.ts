/** Runs the factories of extensions: each gets its own `pi`, and one that fails affects only itself. */
import { log, runAs } from "@tau/utils";
import { refuseTaken } from "../custom-tools/conflicts.ts";
import { createApi } from "../api/api.ts";
import { Extension } from "../api/extension.ts";
import { describeFailure } from "../support/failure.ts";
import { limits } from "../support/limits.ts";
import { withDeadline } from "../support/deadline.ts";
import { processScope, type ExtensionScope } from "../support/scope.ts";
import type { LateExtension } from "./late.ts";
import { Runtime } from "./runtime.ts";
import type { ExtensionFactory } from "../api/types.ts";
import type { DiscoveredExtension } from "../load/discover.ts";
import type { ApiParts } from "../api/api.ts";
import type { ModuleExports } from "../support/virtual-modules.ts";
import { loadSchemaLibraries, noSchemaLibraries } from "../support/schema-libraries.ts";

export interface ImportedExtension extends DiscoveredExtension {
	factory: ExtensionFactory;
	/** What `pi.pi` gives it, if that is not what it gives all. */
	exports?: ModuleExports;
	/** How long it took to read and compile it. */
	importMs: number;
}

export interface LoadProblem {
	path: string;
	error: string;
}

export interface Instantiated {
	extensions: Extension[];
	runtime: Runtime;
	problems: LoadProblem[];
	/** Those that were still loading when the time was up; they are among the extensions too. */
	late: LateExtension[];
	/** Milliseconds of each, with its import. */
	times: Map<string, number>;
}

export interface InstantiateParts {
	imported: readonly ImportedExtension[];
	/** Where their code runs. */
	scope?: ExtensionScope;
	cwd: string;
	/** What flags of extensions were given. */
	flags: ReadonlyMap<string, boolean | string>;
	exports: Readonly<Record<string, unknown>>;
	getSetting(path: string): unknown;
	onNotice(message: string): void;
	/** Names that custom tools cannot have. */
	builtinTools?: ReadonlySet<string>;
	/** Resolves when a session that waits has waited long enough. */
	graceOver?: Promise<"late">;
	/** Shorter waits, for tests. */
	deadline?: { slowMs: number; limitMs: number };
}

export function stillLoading(name: string, path: string): string {
	return `Extension ${name} is still loading (${path}).`;
}

/** One after the other, in order: the second may rely on what the first has put on the bus. */
export async function instantiate(parts: InstantiateParts): Promise<Instantiated> {
	const runtime = new Runtime();
	const hasForeign = parts.imported.some(({ sourceInfo }) => sourceInfo.source !== "builtin");
	const libraries = hasForeign ? await loadSchemaLibraries() : noSchemaLibraries;
	const done: Instantiated = { extensions: [], runtime, problems: [], late: [], times: new Map() };
	for (const each of parts.imported) {
		const { path, sourceInfo, importMs } = each;
		const extension = new Extension(path, sourceInfo);
		const began = performance.now();
		const loading = runFactory(each, extension, runtime, { ...parts, libraries });
		const problem = await (parts.graceOver ? Promise.race([loading, parts.graceOver]) : loading);
		done.times.set(path, importMs + performance.now() - began);
		const taken = each.toolKind
			? refuseTaken(extension, done.extensions, parts.builtinTools ?? new Set())
			: [];
		done.problems.push(...taken.map((error) => ({ path, error })));
		if (problem === "late") done.late.push({ extension, loading });
		if (problem === undefined || problem === "late") done.extensions.push(extension);
		else done.problems.push({ path, error: problem });
	}
	// A value that the user set overrides the default of the extension.
	for (const [name, value] of parts.flags) runtime.flags.set(name, value);
	return done;
}

async function runFactory(
	{ path, factory, exports: own }: ImportedExtension,
	extension: Extension,
	runtime: Runtime,
	parts: InstantiateParts & Pick<ApiParts, "libraries">,
): Promise<string | undefined> {
	const { cwd, exports = parts.exports, libraries, getSetting, onNotice } = { ...parts, exports: own };
	const { scope = processScope } = parts;
	const { slowMs, limitMs } = parts.deadline ?? { slowMs: limits.slowLoadMs, limitMs: limits.factoryMs };
	const onError = (error: unknown): void =>
		log.error("an extension failed", { extension: path, reason: String(error) });
	try {
		const api = createApi({ extension, runtime, cwd, exports, libraries, getSetting, onError });
		const work = runAs(extension.label, "loading", () => scope.run(() => factory(api), extension));
		if (!(work instanceof Promise)) return undefined;
		await withDeadline(work, {
			slowMs,
			limitMs,
			isPaused: () => false,
			onSlow: () => onNotice(stillLoading(extension.label, path)),
		});
		return undefined;
	} catch (error) {
		return describeFailure(error, path);
	}
}
