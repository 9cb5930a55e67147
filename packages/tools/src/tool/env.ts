/** The environment of a session's tools: its directory, the services they may use, and their shared state. */
import type { AgentMessage, AgentTool, AgentToolResult } from "@tau/agent";
import type { Model } from "@tau/ai";
import type { Denial } from "@tau/machines/sandbox";
import type { Machine } from "@tau/sys";
import type { Env } from "@tau/utils";
import type { ArtifactStore } from "@tau/session/artifacts";
import type { SessionSpawner, TerminalViewer } from "@tau/session/host";
import type { DirectCall, SessionEvent } from "@tau/session/run";
import type { ChangeJournal } from "@tau/log/journal";
import type { SessionPorts, SessionSandbox } from "@tau/session/sandbox";
import type { Settings } from "@tau/config/settings";

import { fromApplication, type SessionServices } from "./services.ts";

export interface ToolEnv {
	readonly cwd: string;
	/** The machine with the files and commands. Tools reach neither in any other way. */
	readonly machine: Machine;
	/** In a call that was judged: the environment of the session, whose machine is not bound to that call. */
	readonly sessionEnv?: ToolEnv | undefined;
	/** Where commands of the machine run, if they can be sandboxed. */
	readonly sandbox?:
		| (Pick<
				SessionSandbox,
				| "denials"
				| "hostBrowser"
				| "isOwnPort"
				| "outside"
				| "overlayProblem"
				| "requestLocal"
				| "requestOutside"
		  > & {
				readonly isReadOnly?: boolean;
				readonly ports?: Pick<SessionPorts, "closeUnused" | "fresh" | "offer">;
				/** What was denied in this session, for the user's list. */
				readonly denied?: Denial[];
		  })
		| undefined;
	/** The environment variables of commands, without the keys of providers. */
	readonly env: Env;
	/** Changes on the machine; components that depend on changes subscribe to it. */
	readonly journal: ChangeJournal;
	/** A path as the model wrote it, made absolute. */
	resolve(path: string): string;
	readonly settings: Pick<Settings, "get">;
	readonly artifacts: ArtifactStore;
	/** State that tools share between calls: `env.services.get(service, env)`. */
	readonly services: SessionServices;
	readonly session: ToolSession;
	/** `read` gives the text of a file alone, without numbers, for code that works with it. */
	readonly readsPlainText?: boolean;
	/** Opens sessions below this one; absent where that is not possible. */
	readonly sessions?: SessionSpawner | undefined;
	/** Whether the user trusts the project: then its programs and git may run. */
	isTrusted(): boolean;
	/** False where a program that runs code of the project needs the user's trust first: nothing would contain it. */
	mayRunProject(): boolean;
}

/** Of the session whose language servers an agent shares, because both work on the same files. */
export const projectEnv = fromApplication<ToolEnv>("environment of the project");

/** Keys of services that tools send requests to, such as web search; absent without a session. */
export const keysOfServices = fromApplication<ServiceKeys>("keys of services");

/** Plan mode; absent where the session has no approvals. */
export const planMode = fromApplication<PlanControl>("plan mode");

/** Asks the user, where one can answer at that moment. */
export const userQuestions = fromApplication<() => AskUser | undefined>("questions to the user");

/** Shows the terminals of commands to the user, where a user can type into them at that moment. */
export const userTerminals = fromApplication<() => TerminalViewer | undefined>("terminals of the user");

export interface ServiceKeys {
	/** Whether there is a key or a login of this provider or service, as far as is known without a request. */
	has(provider: string): boolean;
	/** What a request is sent with. Throws a `CredentialError` if a login cannot be renewed. */
	resolve(provider: string, signal: AbortSignal): Promise<ServiceAccess | undefined>;
	/** Where requests to a provider of models go; undefined for other services. */
	address(provider: string): string | undefined;
	/** A variable of Tau's own environment, also one that commands do not get. */
	variable(name: string): string | undefined;
}

export interface ServiceAccess {
	key: string;
	/** Absent if only the kind of key that the provider has is possible. */
	kind?: "api_key" | "oauth";
	/** Of a provider of models. */
	baseUrl?: string;
	headers: Readonly<Record<string, string>>;
}

export interface PlanControl {
	/** Nothing may be changed now. */
	readonly isOn: boolean;
	/** The approval mode that follows. */
	readonly nextMode: string;
	/** Ends plan mode; the approval mode is the one from before, and is returned. */
	leave(): string;
	/** Lets the user change a text; undefined if nobody does. */
	edit(text: string, signal: AbortSignal): Promise<string | undefined>;
	/** Ends this run, and sends the prompt in a new session. */
	startFresh(prompt: string): void;
}

/** The tool's interface to its conversation: what it may read and send. */
export interface ToolSession {
	readonly model: Model;
	/** Whether another model describes images to this one, if it does not see them. */
	readonly describesImages?: boolean;
	/** The conversation as the model sees it; a tool whose state follows the branch reads it from its own results. */
	readonly messages: readonly AgentMessage[];
	/** Whether reading `messages` would load them: the conversation was resumed, and nothing has needed it yet. */
	readonly isUnread?: boolean;
	/** The last entry of the branch; null before the first one. */
	leafId?(): string | null;
	/**
	 * The messages of the branch from the newest on, also those that a compaction replaced. Messages that contain none
	 * of these texts are left out.
	 */
	history(holding: readonly string[]): Iterable<AgentMessage>;
	/** True if the model has this tool now. */
	hasTool(name: string): boolean;
	/** Whether the session lives on after an answer, so that something can end later. */
	readonly staysOpen?: boolean;
	/** The tools that a tool can call, and a call of one with the checks and events of any call; absent without a session. */
	callableTools?(): readonly AgentTool[];
	callTool?(call: DirectCall): Promise<AgentToolResult>;
	/** Notifies all clients of the session. */
	emit(event: SessionEvent): Promise<void>;
	/** Sends a message to the model: when it would stop or, while nothing runs, with a run of its own or the next prompt. */
	deliver(text: string, options: DeliveryOptions): void;
}

export interface DeliveryOptions {
	/** What kind of message it is, for views and extensions. */
	customType: string;
	/** Whether it starts a run while nothing runs, where the client and the user want that. */
	wakes: boolean;
	/** Aborted when the model has read of it otherwise: what still waits then is withdrawn. */
	known?: AbortSignal;
}

export interface Question {
	id: string;
	question: string;
	options: readonly { label: string; description?: string }[];
	/** Several options may be chosen. */
	multiple: boolean;
	/** The position of the option that is proposed. */
	recommended?: number;
	/** What is typed is a secret, and not shown. */
	secret?: boolean;
}

/** The chosen options, and the text that the user wrote beside them. */
export interface Answer {
	id: string;
	chosen: readonly string[];
	text?: string;
}

/** Resolves with undefined when the user declines to answer. */
export type AskUser = (
	questions: readonly Question[],
	signal: AbortSignal,
) => Promise<readonly Answer[] | undefined>;
