/** All extensions of a run, from the first session to the last: loads them, binds them to each session, disposes of them. */
import type { StreamFunction } from "@tau/ai";
import { log } from "@tau/utils";
import type { Behavior, SessionHandle } from "@tau/session";
import type { ModelRegistry } from "@tau/config/models";

import { extensionBehavior, messageRewrite } from "./behavior.ts";
import { describeFailure } from "../support/failure.ts";
import type {
	McpServeEvent,
	ResourcesDiscoverResult,
	ResultOf,
	SessionShutdownEvent,
	SessionStartEvent,
	UserBashEvent,
	UserPythonEvent,
} from "../api/event-types.ts";
import { limits } from "../support/limits.ts";
import { discoverExtensions } from "../load/discover.ts";
import type { LoadProblem } from "./instantiate.ts";
import { Grace, joinLate } from "./late.ts";
import type { ExtensionMode } from "../api/mode.ts";
import { askAboutTree, emitTreeChange, type TreeEvent, type TreeStep } from "../api/navigate-tree.ts";
import { forgetProviders, registerProvider } from "../providers/providers.ts";
import { scopedStream } from "../providers/scoped-stream.ts";
import { ExtensionLoader, type LoadRequest } from "./loader.ts";
import { ExtensionRunner } from "./runner.ts";
import type { ExtensionSession } from "../api/extension-session.ts";
import { ExtensionScope } from "../support/scope.ts";
import { attributeUncaught } from "../support/attribute-uncaught.ts";
import type { FlagOptions, NavigateOptions } from "../api/types.ts";
import { printMode } from "../ui/headless.ts";
import { forgetVirtualModels, registerVirtualModel } from "../providers/virtual-models.ts";

/** A session is left for another one, or for good. */
export interface Leaving {
	reason: SessionShutdownEvent["reason"];
	targetSessionFile?: string;
}

export class Extensions implements AsyncDisposable {
	readonly #request: LoadRequest;
	readonly #scope: ExtensionScope;
	readonly #loader: ExtensionLoader;
	#runner: ExtensionRunner;
	#mode: ExtensionMode;
	#handle: SessionHandle | undefined;
	#flags: ReadonlyMap<string, boolean | string> = new Map();
	#isStarted = false;
	/** The start of the current session, once it was emitted. */
	#begun: SessionStartEvent | undefined;
	/** Those whose providers are registered. */
	#provided: ExtensionRunner | undefined;
	#uncaught: Disposable | undefined;
	/** Files that could not be loaded, each with its reason. */
	problems: LoadProblem[] = [];
	/** How long each took to load, in milliseconds. */
	times: ReadonlyMap<string, number> = new Map();
	/** Directories that extensions have added. */
	resources: Required<ResourcesDiscoverResult> = { skillPaths: [], promptPaths: [], themePaths: [] };

	private constructor(request: LoadRequest) {
		this.#request = request;
		this.#scope = request.scope ?? new ExtensionScope();
		this.#mode = printMode((message) => request.onNotice(message));
		this.#runner = this.#newRunner([], undefined);
		this.#loader = new ExtensionLoader(request, this.#scope, {
			env: () => this.#runner.env,
			ui: () => this.#mode.ui,
			hasUI: () => this.#mode.hasUI,
			isUnasked: () => this.#runner.bound.host.policy?.mode === "full",
		});
	}

	/** Never rejects for what is wrong with an extension: `problems` has it. */
	static async load(request: LoadRequest): Promise<Extensions> {
		const all = new Extensions(request);
		using grace = new Grace(request.graceMs);
		await all.#loader.read(request.discovery ?? (await discoverExtensions(request)), grace);
		await all.#instantiate(grace);
		return all;
	}

	get runner(): ExtensionRunner {
		return this.#runner;
	}

	/** The flags that extensions register. */
	get flags(): Map<string, FlagOptions> {
		return new Map(this.#runner.extensions.flatMap(({ flags }) => [...flags]));
	}

	get toolNames(): string[] {
		return this.#runner.extensions.flatMap(({ tools }) => [...tools.keys()]);
	}

	/** The values of the flags; they apply from now on, in later sessions too. */
	setFlags(flags: ReadonlyMap<string, boolean | string>): void {
		this.#flags = flags;
		for (const [name, value] of flags) this.#runner.runtime.flags.set(name, value);
	}

	/** What extensions have registered before there was a session. */
	provide(registry: ModelRegistry): void {
		this.#provided = this.#runner;
		for (const [name, config] of this.#runner.runtime.providers) {
			try {
				this.#scope.run(() => registerProvider(registry, name, config));
			} catch (error) {
				const reason = error instanceof Error ? error.message : String(error);
				this.#request.onNotice(`An extension's provider ${name} is not used: ${reason}`);
			}
		}
		for (const [name, definition] of this.#runner.runtime.virtualModels) {
			try {
				registerVirtualModel(registry, definition, this.#runner.routes);
			} catch (error) {
				const reason = error instanceof Error ? error.message : String(error);
				this.#request.onNotice(`An extension's virtual model ${name} is not used: ${reason}`);
			}
		}
	}

	/** Asks a model by the protocols that these extensions have registered, and else by the built-in ones. */
	get stream(): StreamFunction {
		return scopedStream(() => this.#scope);
	}

	/** Attached before and after everything else of a session. */
	get behaviors(): { first: Behavior; last: Behavior } {
		const runner = (): ExtensionRunner => this.#runner;
		return {
			first: messageRewrite(runner),
			last: extensionBehavior(runner, (handle) => {
				this.#handle = handle;
			}),
		};
	}

	/** A session was made with `behaviors`. */
	link(session: ExtensionSession): void {
		if (this.#provided && this.#provided !== this.#runner) {
			// What the extensions of the session before have registered went with them: their code may be another now.
			forgetProviders(session.registry);
			forgetVirtualModels(session.registry);
			this.provide(session.registry);
		}
		if (!this.#handle) throw new Error("The behaviors of the extensions are not attached to the session.");
		this.#runner.link({ ...session, handle: this.#handle, stream: this.stream });
	}

	/** Emits the session's start to extensions once the mode is ready. */
	async start(mode: ExtensionMode): Promise<void> {
		this.#mode = mode;
		if (this.#isStarted) return;
		this.#isStarted = true;
		this.#uncaught = attributeUncaught({
			scope: this.#scope,
			extensions: () => this.#runner.extensions,
			onUncaught: (extension, error) =>
				void this.#runner.report({
					extension,
					event: "uncaught",
					error: describeFailure(error, extension.path),
				}),
		});
		await this.#begin({ type: "session_start", reason: "startup" });
	}

	/** Returns whether the session may be left; the first extension that refuses decides. See `SessionLifecycle`. */
	async confirmLeave(
		about:
			| { to: "new" }
			| { to: "resume"; targetSessionFile: string }
			| { to: "fork"; entryId: string; position: "before" | "at" },
	): Promise<boolean | "keep"> {
		let isCancelled = false;
		let keeps = false;
		const heed = (answer: { cancel?: boolean; skipConversationRestore?: boolean }): "stop" | undefined => {
			isCancelled ||= answer.cancel === true;
			keeps ||= answer.skipConversationRestore === true;
			return isCancelled ? "stop" : undefined;
		};
		const { events } = this.#runner;
		if (about.to !== "fork") {
			const { to: reason, ...target } = about;
			await events.ask(
				"session_before_switch",
				() => ({ type: "session_before_switch", reason, ...target }),
				heed,
			);
			return !isCancelled;
		}
		const { entryId, position } = about;
		await events.ask("session_before_fork", () => ({ type: "session_before_fork", entryId, position }), heed);
		if (!isCancelled)
			await events.ask(
				"session_before_branch",
				() => ({ type: "session_before_branch", entryId, position }),
				heed,
			);
		return !isCancelled && (keeps ? "keep" : true);
	}

	/** Asks extensions for their results before the user navigates to another point of the session tree. */
	beforeTree(targetId: string, options: NavigateOptions): Promise<TreeEvent> {
		return askAboutTree(this.#runner, targetId, options);
	}

	afterTree(step: TreeStep): Promise<void> {
		return emitTreeChange(this.#runner, step);
	}

	/** Returns the operations that replace the user's bash command, or a result that is already available. */
	async userBash(about: Omit<UserBashEvent, "type">): Promise<ResultOf<"user_bash"> | undefined> {
		let instead: ResultOf<"user_bash"> | undefined;
		await this.#runner.events.ask(
			"user_bash",
			() => ({ type: "user_bash", ...about }),
			(answer) => {
				instead = answer;
				return "stop";
			},
		);
		return instead;
	}

	/** Returns the result of the user's cell of Python if an extension has one. */
	async userPython(about: Omit<UserPythonEvent, "type">): Promise<ResultOf<"user_python"> | undefined> {
		let instead: ResultOf<"user_python"> | undefined;
		await this.#runner.events.ask(
			"user_python",
			() => ({ type: "user_python", ...about }),
			(answer) => {
				instead = answer;
				return "stop";
			},
		);
		return instead;
	}

	/** Lets extensions add to what an MCP client is offered. */
	async mcpServe(about: Omit<McpServeEvent, "type">): Promise<void> {
		await this.#runner.emit({ type: "mcp_serve", ...about });
	}

	/** Emits the session's shutdown to its extensions, which cannot be used afterwards. */
	async sessionEnding({ reason, targetSessionFile }: Leaving): Promise<void> {
		const leaving = this.#runner;
		await leaving.emitToToolSessions({ reason: "shutdown" });
		await leaving.emit(
			{
				type: "session_shutdown",
				reason,
				...(targetSessionFile === undefined ? {} : { targetSessionFile }),
			},
			limits.shutdownMs,
		);
		leaving.end(reason);
		if (reason === "quit") return;
		using grace = new Grace(this.#request.graceMs);
		if (reason === "reload")
			await this.#loader.read(await (this.#request.discover?.() ?? discoverExtensions(this.#request)), grace);
		await this.#instantiate(grace);
	}

	/** The next session was made, and everybody listens. */
	async sessionStarted(
		reason: Exclude<SessionStartEvent["reason"], "startup">,
		previousSessionFile?: string,
	): Promise<void> {
		const previous = previousSessionFile === undefined ? {} : { previousSessionFile };
		await this.#begin({ type: "session_start", reason, ...previous });
		const runner = this.#runner;
		if (reason === "fork") {
			await runner.emit({ type: "session_fork", previousSessionFile });
			await runner.emit({ type: "session_branch", previousSessionFile });
		} else if (reason !== "reload")
			await runner.emit({ type: "session_switch", reason, previousSessionFile });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const isLeft = !this.#isStarted;
		this.#isStarted = false;
		if (!isLeft) await this.sessionEnding({ reason: "quit" });
		this.#uncaught?.[Symbol.dispose]();
		this.#request.whileLoaded?.[Symbol.dispose]();
		await this.#scope[Symbol.asyncDispose]();
	}

	async #begin(event: SessionStartEvent): Promise<void> {
		const runner = this.#runner;
		this.#begun = event;
		await runner.emit(event);
		await runner.emitToToolSessions({
			reason: event.reason === "startup" ? "start" : toolReasons[event.reason],
			previousSessionFile: event.previousSessionFile,
		});
		const resources: Required<ResourcesDiscoverResult> = { skillPaths: [], promptPaths: [], themePaths: [] };
		await runner.events.ask(
			"resources_discover",
			() => ({
				type: "resources_discover",
				cwd: this.#request.cwd,
				reason: event.reason === "reload" ? "reload" : "startup",
			}),
			({ skillPaths, promptPaths, themePaths }) => {
				resources.skillPaths.push(...pathsIn(skillPaths));
				resources.promptPaths.push(...pathsIn(promptPaths));
				resources.themePaths.push(...pathsIn(themePaths));
				return undefined;
			},
		);
		this.resources = resources;
		if (runner.bound.addResources(resources)) runner.bound.handle.refreshSystemPrompt();
	}

	async #instantiate(grace: Grace): Promise<void> {
		const { onNotice } = this.#request;
		const { extensions, runtime, problems, late, times } = await this.#loader.instantiate(this.#flags, grace);
		this.problems = problems;
		this.times = times;
		for (const { path, error } of this.problems)
			log.warn("an extension was not loaded", { path, reason: error });
		const runner = this.#newRunner(extensions, runtime);
		this.#runner = runner;
		this.#begun = undefined;
		for (const each of late)
			void joinLate(each, {
				runner,
				isCurrent: () => this.#runner === runner,
				missed: () => this.#begun,
				onProblem: (path, error) => {
					log.warn("an extension was not loaded", { path, reason: error });
					onNotice(`The extension ${path} was not loaded: ${error}`);
				},
			});
	}

	#newRunner(
		extensions: ExtensionRunner["extensions"],
		runtime: ExtensionRunner["runtime"] | undefined,
	): ExtensionRunner {
		const { deadline } = this.#request;
		return new ExtensionRunner({
			extensions,
			scope: this.#scope,
			...(runtime ? { runtime } : {}),
			mode: () => this.#mode,
			current: () => this.#runner,
			isTrusted: () => this.#request.isTrusted,
			...(deadline ? { deadline } : {}),
		});
	}
}

/** Extensions are not always type-checked, so values that are not paths are skipped. */
function pathsIn(list: unknown): string[] {
	return Array.isArray(list) ? list.filter((path) => typeof path === "string") : [];
}

/** omp's names for the lifecycle of a tool's session. */
const toolReasons = { reload: "switch", new: "switch", resume: "switch", fork: "branch" } as const;
