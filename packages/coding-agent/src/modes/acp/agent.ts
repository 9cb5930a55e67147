/** What Tau answers to a client of the Agent Client Protocol. What sessions need is loaded after the first answer. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import type { ListedSession } from "@tau/compat/omp-methods";
import type { SessionInfo } from "@tau/log";
import type { EditorBuffers } from "@tau/sys";
import { oneLine, version } from "@tau/utils";
import type { SessionClient } from "@tau/wire";

import { limits } from "./limits.ts";
import type { AcpClient } from "./peer.ts";
import type { OpenedSession } from "./session.ts";
import type { AcpSessions } from "./sessions.ts";

export interface OpenRequest {
	cwd: string;
	directories: readonly string[];
	servers: readonly acp.McpServer[];
	/** The stored session to continue, or to begin with a copy of. */
	from?: { readonly way: "resume" | "fork" | "session-id"; readonly named: string } | undefined;
	buffers: EditorBuffers | undefined;
	/** As people see it. */
	clientName: string;
}

/** The application: what opens sessions, and knows those that are stored. */
export interface AcpApplication {
	/** Throws a `UsageError` with what the client did wrong. */
	open(request: OpenRequest): Promise<OpenedSession>;
	/** Those of a directory, or all; the newest first. */
	list(cwd: string | undefined): Promise<readonly SessionInfo[]>;
	/** Why it was not moved to the trash. */
	remove(session: SessionInfo): Promise<string | undefined>;
	/** Answers a method beside the protocol from the open sessions and the stored ones; undefined if it is unknown. */
	extra(
		called: { method: string; params: unknown },
		open: ReadonlyMap<string, SessionClient>,
		listed: (session: SessionInfo) => ListedSession,
	): Promise<object | undefined>;
	/** How a user logs in in a terminal: what is added to the command line that started this. */
	readonly loginArgs: readonly string[] | undefined;
}

export class AcpAgent implements AsyncDisposable {
	readonly #application: AcpApplication;
	#client: AcpClient = { capabilities: {}, name: "editor" };
	#isLoggedOut = false;
	#sessions: Promise<AcpSessions> | undefined;

	constructor(application: AcpApplication) {
		this.#application = application;
	}

	/** The handlers of all methods. */
	app(): acp.AgentApp {
		const { initialize, authenticate, logout, session } = acp.methods.agent;
		return acp
			.agent({ name: "tau" })
			.onRequest(initialize, ({ params }) => this.#initialize(params))
			.onRequest(authenticate, ({ params }) => this.authenticate(params.methodId))
			.onRequest(logout, () => this.authenticate(undefined))
			.onRequest(session.new, ({ params, client }) => this.serve((all) => all.create(params, client)))
			.onRequest(session.load, ({ params, client }) => this.serve((all) => all.load(params, client)))
			.onRequest(session.resume, ({ params, client }) => this.serve((all) => all.resume(params, client)))
			.onRequest(session.fork, ({ params, client }) => this.serve((all) => all.fork(params, client)))
			.onRequest(session.list, ({ params }) => this.serve((all) => all.list(params)))
			.onRequest(session.delete, ({ params }) => this.serve((all) => all.remove(params)))
			.onRequest(session.close, ({ params }) => this.serve((all) => all.close(params)))
			.onRequest(session.setMode, ({ params }) => this.serve((all) => all.setMode(params)))
			.onRequest(session.setConfigOption, ({ params }) => this.serve((all) => all.setConfigOption(params)))
			.onRequest(session.prompt, ({ params, signal }) => this.serve((all) => all.prompt(params, signal)))
			.onRequest("*", ({ method, params }) => this.serve((all) => all.extra(method, params)))
			.onNotification(session.cancel, ({ params }) => this.cancel(params.sessionId));
	}

	/** Ends all sessions, with everything that they run. */
	async [Symbol.asyncDispose](): Promise<void> {
		await (await this.#sessions)?.[Symbol.asyncDispose]();
	}

	/** Works with the sessions of the client. Throws what the client gets to know. */
	async serve<R>(work: (sessions: AcpSessions) => Promise<R>): Promise<R> {
		if (this.#isLoggedOut) throw acp.RequestError.authRequired();
		const { answered } = await import("./sessions.ts");
		const sessions = await this.#load();
		return await answered(() => work(sessions));
	}

	/** From now on this is who is at the other end. */
	greet(client: AcpClient): void {
		this.#client = client;
		// The client asks for a session next.
		setTimeout(() => void this.#load(), 0);
	}

	/** Whether the keys and logins of this machine are used. */
	authenticate(methodId: string | undefined): object {
		if (methodId !== undefined && methodId !== "agent" && methodId !== "terminal")
			throw acp.RequestError.invalidParams(undefined, `Unknown ACP auth method: ${methodId}`);
		this.#isLoggedOut = methodId === undefined;
		return {};
	}

	async cancel(sessionId: string): Promise<void> {
		(await this.#sessions)?.cancel(sessionId);
	}

	#load(): Promise<AcpSessions> {
		this.#sessions ??= import("./sessions.ts").then(
			({ AcpSessions: Sessions }) => new Sessions(this.#application, () => this.#client),
		);
		return this.#sessions;
	}

	#initialize({ clientCapabilities = {}, clientInfo }: acp.InitializeRequest): acp.InitializeResponse {
		const name = oneLine(clientInfo?.title ?? clientInfo?.name ?? "editor", limits.titleChars);
		this.greet({ capabilities: clientCapabilities, name });
		const { loginArgs } = this.#application;
		return {
			protocolVersion: acp.PROTOCOL_VERSION,
			agentInfo: { name: "tau", title: "Tau", version },
			authMethods: [
				{ id: "agent", name: "Use the keys and logins of this machine (environment, tau login)" },
				...(clientCapabilities.auth?.terminal && loginArgs
					? [{ ...terminalLogin, args: [...loginArgs] }]
					: []),
			],
			agentCapabilities: {
				loadSession: true,
				promptCapabilities: { image: true, audio: true, embeddedContext: true },
				mcpCapabilities: { http: true, sse: true },
				sessionCapabilities,
				auth: { logout: {} },
			},
		};
	}
}

const sessionCapabilities: acp.SessionCapabilities = Object.fromEntries(
	["list", "delete", "additionalDirectories", "fork", "resume", "close"].map((name) => [name, {}]),
);

const terminalLogin = { type: "terminal", id: "terminal", name: "Log in in a terminal" } as const;
