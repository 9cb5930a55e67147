/** Version 2 of the protocol, a draft: the same sessions, with its own life of a turn and its own words. */
import type * as acp from "@agentclientprotocol/sdk/unstable";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2";
import { patchOf } from "@tau/session-commands/shared/shown-call";
import { oneLine, uuidv7, version } from "@tau/utils";

import type { AcpAgent } from "./agent.ts";
import { limits } from "./limits.ts";
import type { AcpPeer } from "./peer.ts";

const running = { sessionUpdate: "state_update", state: "running" } as const;
const idle = { sessionUpdate: "state_update", state: "idle" } as const;

/** The version that the client asks for decides. */
export function withDraft(tau: AcpAgent): v2.AgentProtocolRouter {
	return v2.agentProtocolRouter().withV1(tau.app()).withV2(v2App(tau));
}

function v2App(tau: AcpAgent): v2.AgentApp {
	const { session, auth } = v2.methods.agent;
	return v2
		.agent({ name: "tau" })
		.onRequest(v2.methods.agent.initialize, ({ params }) => initialize(tau, params))
		.onRequest(auth.login, ({ params }) => tau.authenticate(params.methodId))
		.onRequest(auth.logout, () => tau.authenticate(undefined))
		.onRequest(session.new, async ({ params, client }) => {
			const created = await tau.serve((sessions) => sessions.create(rootsOf(params), peerOf(client)));
			return { sessionId: created.sessionId, configOptions: optionsOf(created.configOptions) };
		})
		.onRequest(session.resume, ({ params, client }) => resume(tau, params, client))
		.onRequest(session.list, ({ params }) => tau.serve((sessions) => sessions.list(params)))
		.onRequest(session.close, ({ params }) => tau.serve((sessions) => sessions.close(params)))
		.onRequest(session.delete, ({ params }) => tau.serve((sessions) => sessions.remove(params)))
		.onRequest(session.setConfigOption, async ({ params }) => {
			const { sessionId, configId } = params;
			const value = "value" in params ? String(params.value) : "";
			const changed = await tau.serve((sessions) => sessions.setConfigOption({ sessionId, configId, value }));
			return { configOptions: optionsOf(changed.configOptions) };
		})
		.onRequest(session.prompt, ({ params, client, signal }) => prompt(tau, params, client, signal))
		.onNotification(session.cancel, ({ params }) => tau.cancel(params.sessionId));
}

function initialize(tau: AcpAgent, { info, capabilities }: v2.InitializeRequest): v2.InitializeResponse {
	const name = oneLine(info.title ?? info.name, limits.titleChars);
	const elicitation = capabilities?.elicitation?.form ? { elicitation: { form: {} } } : {};
	// Version 2 has neither the files nor the terminals of the client.
	tau.greet({ name, capabilities: elicitation });
	return {
		protocolVersion: v2.PROTOCOL_VERSION,
		info: { name: "tau", title: "Tau", version },
		authMethods: [{ type: "agent", methodId: "agent", name: "Use the keys and logins of this machine" }],
		capabilities: {
			session: {
				prompt: { image: {}, audio: {}, embeddedContext: {} },
				mcp: { stdio: {}, http: {} },
				delete: {},
				additionalDirectories: {},
			},
			auth: {},
		},
	};
}

/** The state is known before the response: also of a session that runs. */
async function resume(
	tau: AcpAgent,
	params: v2.ResumeSessionRequest,
	client: v2.AgentContext,
): Promise<v2.ResumeSessionResponse> {
	const { sessionId, replayFrom } = params;
	const request = { sessionId, ...rootsOf(params) };
	const peer = peerOf(client);
	const { configOptions } = await tau.serve((sessions) =>
		replayFrom ? sessions.load(request, peer) : sessions.resume(request, peer),
	);
	const isBusy = await tau.serve(async (sessions) => sessions.isBusy(sessionId));
	await updaterOf(client)(sessionId, isBusy ? running : { ...idle, stopReason: null });
	return { configOptions: optionsOf(configOptions) };
}

/** Answered when it is accepted; updates say what becomes of it. */
async function prompt(
	tau: AcpAgent,
	{ sessionId, prompt: content }: v2.PromptRequest,
	client: v2.AgentContext,
	signal: AbortSignal,
): Promise<v2.PromptResponse> {
	const update = updaterOf(client);
	const messageId = uuidv7();
	const accepted = Promise.withResolvers<void>();
	// What a client sends has been checked against the schema; the blocks are those of version 1.
	const blocks = content as acp.ContentBlock[];
	const ended = tau.serve((sessions) =>
		sessions.prompt({ sessionId, prompt: blocks }, signal, () => accepted.resolve()),
	);
	ended.then(() => accepted.resolve(), accepted.reject);
	await accepted.promise;
	await update(sessionId, { sessionUpdate: "user_message", messageId, content });
	await update(sessionId, running);
	void ended.then(
		// Both versions have the same reasons.
		({ stopReason }) => update(sessionId, { ...idle, stopReason } as v2.SessionUpdate),
		(error: unknown) => update(sessionId, { ...idle, stopReason: "error", error: errorOf(error) }),
	);
	return { messageId };
}

function errorOf(error: unknown): { code: number; message: string } {
	if (error instanceof v2.RequestError) return { code: error.code, message: error.message };
	return { code: -32_603, message: error instanceof Error ? error.message : String(error) };
}

/** Sends updates of a session. */
function updaterOf(client: v2.AgentContext) {
	return (sessionId: string, update: v2.SessionUpdate): Promise<void> =>
		client.notify(v2.methods.client.session.update, { sessionId, update });
}

/** The client as the session sees it: what is said in version 1 reaches it in version 2. */
function peerOf(client: v2.AgentContext): AcpPeer {
	const update = updaterOf(client);
	const notify = async (_: string, { sessionId, update: said }: acp.SessionNotification): Promise<void> => {
		const translated = updateOf(said);
		if (translated) await update(sessionId, translated);
	};
	const request = async (
		method: string,
		params: acp.RequestPermissionRequest | acp.CreateElicitationRequest,
		options: acp.SendRequestOptions,
	): Promise<unknown> => {
		if (!("toolCall" in params))
			return await client.request(
				v2.methods.client.elicitation.create,
				params as v2.CreateElicitationRequest,
				options,
			);
		const { sessionId, toolCall, options: choices } = params as acp.RequestPermissionRequest;
		const subject = { type: "tool_call" as const, toolCall: callOf(toolCall) };
		await update(sessionId, { sessionUpdate: "state_update", state: "requires_action" });
		try {
			return await client.request(
				v2.methods.client.session.requestPermission,
				{ sessionId, title: toolCall.title ?? method, subject, options: choices },
				options,
			);
		} finally {
			await update(sessionId, running);
		}
	};
	return { notify, request } as unknown as AcpPeer;
}

/** Undefined for what version 2 says in another way. */
function updateOf(update: acp.SessionUpdate): v2.SessionUpdate | undefined {
	switch (update.sessionUpdate) {
		case "tool_call":
		case "tool_call_update":
			return { ...callOf(update), sessionUpdate: "tool_call_update" };
		case "plan":
			return {
				sessionUpdate: "plan_update",
				plan: { type: "items", planId: "todo", entries: update.entries },
			};
		case "available_commands_update":
			return { ...update, availableCommands: update.availableCommands.map(commandOf) };
		case "config_option_update":
			return { ...update, configOptions: optionsOf(update.configOptions) };
		case "user_message_chunk":
		case "agent_message_chunk":
		case "agent_thought_chunk":
			return {
				...update,
				messageId: update.messageId ?? uuidv7(),
				content: update.content as v2.ContentBlock,
			};
		case "session_info_update":
		case "usage_update":
			return update;
		default:
			return undefined;
	}
}

function callOf({ content, ...call }: acp.ToolCallUpdate): v2.ToolCallUpdate {
	return { ...call, ...(content ? { content: content.map(contentOf) } : {}) };
}

function contentOf(content: acp.ToolCallContent): v2.ToolCallContent {
	if (content.type !== "diff") return content as v2.ToolCallContent;
	const { path, oldText, newText } = content;
	const text = patchOf({ path, old: oldText ?? null, now: newText });
	const change: v2.DiffChange = oldText == null ? { operation: "add", path } : { operation: "modify", path };
	return { type: "diff", changes: [change], patch: { format: "git_patch", text } };
}

function commandOf({ name, description, input }: acp.AvailableCommand): v2.AvailableCommand {
	return {
		type: "command",
		name,
		description,
		...(input ? { input: { type: "text", hint: input.hint } } : {}),
	};
}

function optionsOf(options: readonly acp.SessionConfigOption[] | null | undefined): v2.SessionConfigOption[] {
	return (options ?? []).map(
		({ id: configId, ...option }) => ({ configId, ...option }) as v2.SessionConfigOption,
	);
}

function rootsOf({
	cwd,
	additionalDirectories,
	mcpServers = [],
}: v2.NewSessionRequest | v2.ResumeSessionRequest) {
	const servers = mcpServers.map((server) => {
		if (server.type !== "stdio") return server as acp.McpServer;
		const { type: _, args = [], env = [], ...stdio } = server as v2.McpServerStdio & { type: "stdio" };
		return { ...stdio, args, env };
	});
	return { cwd, ...(additionalDirectories ? { additionalDirectories } : {}), mcpServers: servers };
}
