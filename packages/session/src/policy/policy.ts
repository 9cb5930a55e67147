/** The approval policy of a session: its mode, and the gate that decides about each tool call. */
import type { FrozenCall, Preview, ToolGate, Verdict } from "@tau/agent";
import { onDispose } from "@tau/utils";
import type { ApprovalMode, Boundary, GrantInfo, OwnSessionEvent } from "@tau/wire";

import type { UserRequests } from "../host/requests.ts";
import type { Settings } from "@tau/config/settings";
import type { HostUser, PrivateTarget } from "./approval-request.ts";
import type { RemoteFiles } from "./call-items.ts";
import type { CallJudge } from "./call-judge.ts";
import { defaultMode, narrowerMode } from "./mode.ts";
import type { ProtectedLocations } from "./protected-locations.ts";
import type { RuleFile } from "./rule-files.ts";
import { RunningCommands } from "./running-commands.ts";

/** What the application provides; absent where a program embeds a session without a policy. */
interface RemoteMachine extends RemoteFiles {
	readonly machine: string;
	/** The directory there, without links. */
	readonly cwd: string;
}

export interface PolicyOptions {
	/** The mode of the command line; it wins over the settings, and `full` needs no further yes. */
	mode?: ApprovalMode | undefined;
	/** What contains commands. Called again after each change that may matter. */
	boundary(): Boundary;
	/** Whether commands that run in plan mode can write nothing that stays. */
	holdsWrites?(): boolean;
	/** Resolves when `boundary` is certain. */
	settle?(): Promise<void>;
	/** The other machine that tools work on now. Grants apply to one machine only. */
	remote?(): RemoteMachine | undefined;
	/** Files of other programs that hold rules. */
	ruleFiles(cwd: string): readonly RuleFile[];
	isTrusted(cwd: string): boolean;
	places: ProtectedLocations;
	/** The directory of the user's grants. */
	grantsDir: string;
	/** Called when a call runs unasked only because a container is the boundary, which nobody has chosen. */
	onContained?(): void;
}

export interface PolicyParts {
	options: PolicyOptions;
	settings: Settings;
	requests: UserRequests;
	cwd(): string;
	sessionId(): string;
	/** What the user wrote, newest first; not asked of a child, whose prompts are the parent model's. */
	prompts(): Iterable<string>;
	/** Emits an event of the session; waits for what reacts to it. */
	emit(event: PolicyEvent): Promise<void>;
	/** Shows the user one line. */
	notice(message: string): void;
	/** Names the agent in requests and grants; the session's own is `main`. */
	agent: string;
	/** The policy of the session that opened this one: it is never exceeded. */
	parent?: Policy | undefined;
}

/** Files that the merge of an agent's tree would write. */
export interface MergeWrites {
	/** Whose tree it is. */
	agent: string;
	/** Absolute, in the project. */
	paths: readonly string[];
	/** Those of them that are links, before or afterwards. */
	links?: readonly string[];
	/** Settles when all is written. */
	ended?: Promise<unknown>;
	toolCallId?: string | undefined;
	/** How these of the files would change, for the user who is asked; undefined if it cannot be shown whole. */
	preview(paths: readonly string[]): Preview | undefined;
}

export type PolicyEvent = Extract<
	OwnSessionEvent,
	{ type: "tool_approval_requested" | "tool_approval_resolved" }
>;

/** Who changed the mode. */
export type ModeOrigin = "flag" | "user";

export type ModeListener = (mode: ApprovalMode, previous: ApprovalMode) => void;

export class Policy implements ToolGate, Disposable {
	readonly name = "The approval policy";
	/** The user may take any time. */
	readonly deadlineMs = Infinity;
	/** Whether a path without links is one of the session's own temporary files, which may be written to. */
	isTemporary: (path: string) => boolean = () => false;
	/** Those of the session and of all its agents. */
	readonly running: RunningCommands;
	readonly #parts: PolicyParts;
	readonly #listeners = new Set<ModeListener>();
	readonly #owned = new DisposableStack();
	#chosen: { mode: ApprovalMode; origin: ModeOrigin; sessionId: string } | undefined;
	#confirmedIn: string | undefined;
	#beforePlan: ApprovalMode | undefined;
	#last: ApprovalMode;
	/** The mode in the user's own files. */
	#userMode: ApprovalMode | undefined;
	#judge: Promise<CallJudge> | undefined;
	#loaded: CallJudge | undefined;

	constructor(parts: PolicyParts) {
		this.#parts = parts;
		this.running = parts.parent?.running ?? new RunningCommands();
		const { mode } = parts.options;
		if (mode) this.#chosen = { mode, origin: "flag", sessionId: parts.sessionId() };
		this.#last = this.mode;
		this.#userMode = parts.settings.getWithoutProject("tools.approvalMode");
		this.#owned.use(parts.settings.onChange((path) => this.#settingChanged(path)));
		if (parts.parent) this.#owned.use(parts.parent.onChange(() => this.refresh()));
	}

	get mode(): ApprovalMode {
		const own = this.#ownMode();
		const { parent } = this.#parts;
		return parent ? narrowerMode(own, parent.mode) : own;
	}

	get isReadOnly(): boolean {
		return this.mode === "plan";
	}

	get boundary(): Boundary {
		return this.#parts.options.boundary();
	}

	/** What the user wrote in the session, or in the one that opened it, newest first. */
	prompts(): Iterable<string> {
		const { parent, prompts } = this.#parts;
		return parent?.prompts() ?? prompts();
	}

	/** Neither the user nor a file has chosen the mode: it follows from the boundary. */
	get isDefault(): boolean {
		return this.#current() === undefined && !this.#isSet && (this.#parts.parent?.isDefault ?? true);
	}

	/** The settings ask for `full`, and the user has not confirmed it in this session yet. */
	get isFullUnconfirmed(): boolean {
		return this.#current() === undefined && this.#configured() === "full" && this.#isSet;
	}

	/** The user has said yes to `full` in this session, or on the command line. */
	get mayBeFull(): boolean {
		const { mode } = this.#parts.options;
		return mode === "full" || this.mode === "full" || this.#confirmedIn === this.#parts.sessionId();
	}

	/** For this session; `full` ends with it. */
	setMode(mode: ApprovalMode, origin: ModeOrigin = "user"): void {
		const sessionId = this.#parts.sessionId();
		const { mode: before } = this;
		if (mode === "plan" && before !== "plan") this.#beforePlan = before;
		this.#chosen = { mode, origin, sessionId };
		if (mode === "full") this.#confirmedIn = sessionId;
		this.refresh();
	}

	/** The mode from before plan mode; that of a new session if this one began with it. Returns the mode. */
	leavePlan(): ApprovalMode {
		if (this.mode === "plan") this.setMode(this.modeAfterPlan);
		return this.mode;
	}

	/** The mode that follows when plan mode ends. */
	get modeAfterPlan(): ApprovalMode {
		const { mode, mayBeFull } = this;
		if (mode !== "plan") return mode;
		const before = this.#beforePlan ?? defaultMode(this.boundary);
		// Only this session's user has said yes to `full`.
		return before === "full" && !mayBeFull ? defaultMode(this.boundary) : before;
	}

	onChange(listener: ModeListener): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	/** To be called when something that the mode depends on has changed: the boundary, or the session. */
	refresh(): void {
		const { mode } = this;
		const previous = this.#last;
		this.#last = mode;
		if (mode !== previous) for (const listener of this.#listeners) listener(mode, previous);
	}

	/** Begins to load what judges calls, without waiting for it. */
	prepare(): void {
		void this.settle();
		void this.#callJudge();
	}

	async judge(call: FrozenCall, signal: AbortSignal): Promise<Verdict | undefined> {
		if (call.denied !== undefined) return undefined;
		// What reads no file is judged alike within every boundary; finding the boundary takes 20 ms.
		if (call.tool.approval !== "read" || call.touches.length > 0) await this.settle();
		return (await this.#callJudge()).judge(call, signal);
	}

	/** The boundary is certain afterwards. */
	async settle(): Promise<void> {
		await this.#parts.options.settle?.();
		this.refresh();
	}

	/** Whether searches leave the file out: it may not be read unasked. Known once a call was judged. */
	isHidden(path: string): boolean {
		return this.#loaded?.isHidden(path) ?? false;
	}

	/** Whether a command, or a browser in the sandbox, may connect to the host; the connection waits for the answer. */
	async requestHost(
		host: string,
		port: number,
		signal: AbortSignal,
		by: HostUser = "command",
	): Promise<boolean> {
		return (await this.#callJudge()).requestHost(host, port, signal, by);
	}

	/** Whether a browser may connect to an address that is not public; the connection waits for the answer. */
	async requestPrivate(target: PrivateTarget, signal: AbortSignal): Promise<boolean> {
		return (await this.#callJudge()).requestPrivate(target, signal);
	}

	/** Whether a command that the sandbox has stopped may run outside of it, once. */
	async requestOutside(
		command: string,
		why: string,
		signal: AbortSignal,
		onlyApproved = false,
	): Promise<boolean> {
		return (await this.#callJudge()).requestOutside(command, why, signal, onlyApproved);
	}

	/** Whether a server that a command in the sandbox has started becomes reachable for the user. */
	async requestPort(port: number, by: string, signal: AbortSignal): Promise<boolean> {
		return (await this.#callJudge()).ports.publish(port, by, signal);
	}

	/** Whether commands in the sandbox may connect to a service on this machine's loopback. */
	async requestLocal(port: number, signal: AbortSignal): Promise<boolean> {
		return (await this.#callJudge()).ports.reach(port, signal);
	}

	/** The services that the user has allowed so for longer. */
	async localPorts(): Promise<readonly number[]> {
		return (await this.#callJudge()).ports.reachable;
	}

	/** Which files of an agent's tree may not be written into the project, with the reasons, by path. */
	async refusedWrites(request: MergeWrites, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
		await this.settle();
		return (await this.#callJudge()).refusedWrites(request, signal);
	}

	/** Newest first. */
	async grants(): Promise<readonly GrantInfo[]> {
		return (await this.#callJudge()).grants();
	}

	/** Returns whether there was such a grant. */
	async revoke(id: string): Promise<boolean> {
		return (await this.#callJudge()).revoke(id);
	}

	[Symbol.dispose](): void {
		this.#owned.dispose();
		void this.#judge?.then((judge) => judge[Symbol.dispose]());
	}

	#ownMode(): ApprovalMode {
		// A session that another one opened has the mode of that one, whatever the settings say by themselves.
		const chosen = this.#current() ?? this.#parts.parent?.mode;
		if (chosen) return chosen;
		const configured = this.#configured();
		return configured === "full" && this.#isSet ? defaultMode(this.boundary) : configured;
	}

	/** What the user has chosen; a yes to `full` is over with its session. */
	#current(): ApprovalMode | undefined {
		const chosen = this.#chosen;
		const isOver =
			chosen?.mode === "full" && chosen.origin !== "flag" && chosen.sessionId !== this.#parts.sessionId();
		return isOver ? undefined : chosen?.mode;
	}

	/** What the files say. A project's files can only narrow it. */
	#configured(): ApprovalMode {
		const { settings } = this.#parts;
		const own = settings.getWithoutProject("tools.approvalMode") ?? defaultMode(this.boundary);
		const withProject = settings.get("tools.approvalMode");
		return withProject ? narrowerMode(own, withProject) : own;
	}

	get #isSet(): boolean {
		return this.#parts.settings.get("tools.approvalMode") !== undefined;
	}

	#settingChanged(path: string): void {
		if (path === "tools.approvalMode") {
			// A change in a project's file leaves what the user has chosen in this session.
			const userMode = this.#parts.settings.getWithoutProject(path);
			if (userMode !== this.#userMode) this.#chosen = undefined;
			this.#userMode = userMode;
			this.refresh();
		}
		if (path.startsWith("permissions.") || path === "tools.approval" || path === "additionalDirectories")
			void this.#judge?.then((judge) => judge.reload());
	}

	/** Loaded with the first call: parsing rules and commands takes more modules than a start has time for. */
	#callJudge(): Promise<CallJudge> {
		this.#judge ??= import("./call-judge.ts").then(
			({ CallJudge: Judge }) => (this.#loaded = new Judge(this, this.#parts)),
		);
		return this.#judge;
	}
}
