/** Loads the code of extensions and runs their factories, at the start and at each reload; waits for slow ones only so long. */
import { sep } from "node:path";

import { dirs, runAs } from "@tau/utils";

import { extensionName } from "../api/extension.ts";
import type { ExtensionFactory } from "../api/types.ts";
import type { ToolHost } from "../custom-tools/host.ts";
import type { ToolLoader } from "../custom-tools/load-tool.ts";
import type { DiscoveredExtension, Discovery, DiscoverRequest } from "../load/discover.ts";
import { withDeadline } from "../support/deadline.ts";
import { describeFailure } from "../support/failure.ts";
import { importFactory } from "../support/import-module.ts";
import { limits } from "../support/limits.ts";
import type { ExtensionScope } from "../support/scope.ts";
import type { VirtualModules } from "../support/virtual-modules.ts";
import { blockExitWhileLoading } from "./block-exit.ts";
import {
	instantiate,
	stillLoading,
	type ImportedExtension,
	type Instantiated,
	type LoadProblem,
} from "./instantiate.ts";
import type { Grace } from "./late.ts";

export interface LoadRequest extends DiscoverRequest {
	/** The result of an earlier discovery, if there was one. */
	discovery?: Discovery;
	/** Looks again, for a reload: settings and trust may be others by then. */
	discover?(): Promise<Discovery>;
	/** What `getSetting` answers with. */
	getSetting?(path: string): unknown;
	onNotice(message: string): void;
	/** The directory for cached files that may be deleted at any time; the default one if absent. */
	cacheDir?: string;
	/** Disposed of when the extensions are gone. */
	whileLoaded?: Disposable;
	/** The packages of pi and omp that extensions import; without them such imports fail. */
	modules?: VirtualModules;
	/** Where code of these extensions runs; its own where it is not given. Disposed of with the extensions. */
	scope?: ExtensionScope;
	/** Milliseconds after which the session starts without extensions that are still loading; without it, all are awaited. */
	graceMs?: number;
	/** Shorter waits, for tests. */
	deadline?: { slowMs: number; limitMs: number };
}

/** What custom tools need of the current session. */
type ToolSession = Pick<ToolHost, "env" | "ui" | "hasUI" | "isUnasked">;

export class ExtensionLoader {
	readonly #request: LoadRequest;
	readonly #scope: ExtensionScope;
	readonly #session: ToolSession;
	/** The exports for imports of the package, once an extension is loaded that may import it. */
	#exports: Readonly<Record<string, unknown>> = {};
	/** Names that custom tools cannot have; empty if there are none. */
	#builtinTools: ReadonlySet<string> = new Set();
	#imported: ImportedExtension[] = [];
	#problems: LoadProblem[] = [];
	#generation = 0;

	constructor(request: LoadRequest, scope: ExtensionScope, session: ToolSession) {
		this.#request = request;
		this.#scope = scope;
		this.#session = session;
	}

	/** Runs what was read, anew for each session. */
	async instantiate(flags: ReadonlyMap<string, boolean | string>, { over }: Grace): Promise<Instantiated> {
		const { cwd, onNotice, getSetting = () => undefined, graceMs, deadline } = this.#request;
		using _ = blockExitWhileLoading(this.#imported.map(({ path }) => path));
		const done = await instantiate({
			imported: this.#imported,
			scope: this.#scope,
			cwd,
			flags,
			exports: this.#exports,
			getSetting,
			builtinTools: this.#builtinTools,
			onNotice,
			...(graceMs === undefined ? {} : { graceOver: over }),
			...(deadline ? { deadline } : {}),
		});
		return { ...done, problems: [...this.#problems, ...done.problems] };
	}

	/** Reads their code; it runs with `instantiate`. */
	async read({ extensions, problems }: Discovery, { over }: Grace): Promise<void> {
		const reloads = this.#generation++;
		this.#imported = [];
		this.#problems = [...problems];
		if (extensions.some(({ load, toolKind }) => load === undefined && toolKind !== "program"))
			await this.#prepareImports();
		const tools = extensions.some(({ toolKind }) => toolKind) ? await this.#toolLoader() : undefined;
		using _ = blockExitWhileLoading(extensions.map(({ path }) => path));
		// Side by side: reading and compiling is most of what loading costs.
		const outcomes = await Promise.all(
			extensions.map(async (each): Promise<ImportedExtension | LoadProblem> => {
				const began = performance.now();
				try {
					const { path, toolKind, load } = each;
					const program = programOf(each);
					const exports = program && (await this.#request.modules?.adopt(path, program));
					const reading = toolKind
						? tools?.load(path, toolKind, reloads)
						: runAs(extensionName(path), "loading", () =>
								this.#scope.run(() => load?.() ?? this.#import(path, reloads)),
							);
					if (!reading) throw new Error("No loader is available for it.");
					const awaited = this.#patiently(reading, path);
					const inTime = await Promise.race([awaited, over]);
					// The rest of its loading is then a part of its factory.
					const factory: ExtensionFactory =
						inTime === "late" ? async (api) => await (await awaited)(api) : inTime;
					return { ...each, factory, ...(exports ? { exports } : {}), importMs: performance.now() - began };
				} catch (error) {
					return { path: each.path, error: describeFailure(error, each.path) };
				}
			}),
		);
		for (const outcome of outcomes) {
			if ("error" in outcome) this.#problems.push(outcome);
			else this.#imported.push(outcome);
		}
	}

	#import(path: string, reloads: number): Promise<ExtensionFactory> {
		const { modules, onNotice } = this.#request;
		return importFactory(path, reloads, modules, (problem) =>
			onNotice(`Extension ${extensionName(path)} ${problem}`),
		);
	}

	/** A module may await something while it loads; it must not block the prompt forever. */
	#patiently<T>(reading: Promise<T>, path: string): Promise<T> {
		const {
			onNotice,
			deadline: { slowMs, limitMs } = { slowMs: limits.slowLoadMs, limitMs: limits.factoryMs },
		} = this.#request;
		return withDeadline(reading, {
			slowMs,
			limitMs,
			isPaused: () => false,
			onSlow: () => onNotice(stillLoading(extensionName(path), path)),
		});
	}

	/** Loads tools from tool directories. It is imported lazily because most users have no such directory. */
	async #toolLoader(): Promise<ToolLoader> {
		const { ToolLoader: Loader } = await import("../custom-tools/load-tool.ts");
		const { builtinTools } = await import("@tau/integrations/builtin");
		this.#builtinTools = new Set(builtinTools.map(({ name }) => name));
		const { cwd, cacheDir = dirs().cache } = this.#request;
		return new Loader({ cwd, cacheDir, modules: this.#request.modules, ...this.#session });
	}

	/** Prepares the modules that third-party extensions import; Tau's own extensions need none of them. */
	async #prepareImports(): Promise<void> {
		this.#exports = (await this.#request.modules?.install()) ?? {};
	}
}

/** The other program whose directories contain the extension; undefined if there is none. */
function programOf({ path, sourceInfo: { source } }: DiscoveredExtension): string | undefined {
	const names = ["pi", "omp"];
	return names.find((name) => source === name) ?? names.find((name) => path.split(sep).includes(`.${name}`));
}
