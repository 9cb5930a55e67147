/** An editor: the official client of the Agent Client Protocol, which starts the real `tau acp`. Every frame is checked. */
import {
	client,
	methods,
	ndJsonStream,
	type ClientApp,
	type ClientCapabilities,
	type ClientConnection,
	type CreateElicitationResponse,
	type InitializeResponse,
	type PromptResponse,
	type RequestPermissionRequest,
	type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";

import type { Launched, Running } from "../support/launch.ts";
import { withTerminals, type EditorTerminal } from "./editor-terminals.ts";
import { FrameCheck } from "./frame-check.ts";

type ElicitationRequest = Record<string, unknown> & { message: string };

export interface EditorOptions {
	args?: readonly string[];
	env?: Record<string, string>;
	/** The version that it asks for. */
	protocolVersion?: number;
	capabilities?: ClientCapabilities;
	/** The id of the chosen option; undefined closes the question. Without it, nothing is ever answered. */
	permission?(request: RequestPermissionRequest): string | undefined | Promise<string | undefined>;
	elicitation?(request: ElicitationRequest): CreateElicitationResponse;
	/** The unsaved texts of open files, by path; a path without one is an error. */
	buffers?: Map<string, string>;
	/** Where the editor keeps its terminals; without it, it has none. */
	terminals?: EditorTerminal[];
}

export interface Editor extends AsyncDisposable {
	readonly running: Running;
	readonly agent: ClientConnection["agent"];
	readonly initialized: InitializeResponse;
	/** All updates so far, with what else the client was asked, in the order in which it arrived. */
	readonly updates: SessionUpdate[];
	readonly permissions: RequestPermissionRequest[];
	readonly elicitations: ElicitationRequest[];
	/** `update` and `permission` in the order in which they arrived. */
	readonly order: string[];
	readonly check: FrameCheck;
	newSession(cwd?: string, more?: object): Promise<string>;
	prompt(sessionId: string, text: string): Promise<PromptResponse>;
	/** The first update that holds, of those that came and that will come. */
	until<T extends SessionUpdate>(holds: (update: SessionUpdate) => update is T): Promise<T>;
	until(holds: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
	/** The text of the answer so far. */
	text(): string;
	/** Closes standard input and waits for the end of the process. */
	leave(): Promise<number>;
}

export const model = ["--model", "played/played-1"];

/** Everything is asked about. */
export const asking = {
	args: [...model, "--approval-mode", "ask"],
	env: { TAU_SANDBOX: "off", TAU_CONTAINER: "none" },
};

/** An answer of the model that calls a tool. */
export function call(name: string, args: Record<string, unknown>) {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

export async function openEditor(tau: Launched, options: EditorOptions = {}): Promise<Editor> {
	const { args = model, env = {}, capabilities = {} } = options;
	const running = tau.start(["acp", ...args], { stdin: "pipe", env });
	const check = new FrameCheck();
	const seen: Seen = {
		updates: [],
		permissions: [],
		elicitations: [],
		order: [],
		changed: Promise.withResolvers(),
	};
	const connection = appOf(options, seen).connect(
		check.watch(ndJsonStream(inputOf(running), outputOf(running))),
	);
	const { agent } = connection;
	const initialized = await agent.request(methods.agent.initialize, {
		protocolVersion: options.protocolVersion ?? 1,
		clientInfo: { name: "test-editor", version: "1" },
		clientCapabilities: capabilities,
	});
	const leave = async (): Promise<number> => {
		const { stdin } = running.process;
		if (stdin && typeof stdin !== "number") await stdin.end();
		return (await running.finished).code;
	};
	return {
		running,
		agent,
		initialized,
		...seen,
		check,
		leave,
		text: () =>
			seen.updates
				.map((update) =>
					update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
						? update.content.text
						: "",
				)
				.join(""),
		newSession: async (cwd = tau.project, more = {}) =>
			(await agent.request(methods.agent.session.new, { cwd, mcpServers: [], ...more })).sessionId,
		prompt: (sessionId, text) =>
			agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }),
		async until(holds: (update: SessionUpdate) => boolean) {
			for (;;) {
				const found = seen.updates.find(holds);
				if (found) return found as never;
				const over = await Promise.race([
					seen.changed.promise.then(() => false),
					running.finished.then(() => true),
				]);
				if (over) throw new Error(`tau ended before: ${running.output().err}`);
			}
		},
		async [Symbol.asyncDispose]() {
			await leave();
			check.assertValid();
		},
	};
}

export function inputOf(running: Running): WritableStream<Uint8Array> {
	const { stdin } = running.process;
	if (!stdin || typeof stdin === "number") throw new Error("standard input is not a pipe");
	return new WritableStream({
		async write(chunk) {
			stdin.write(chunk);
			await stdin.flush();
		},
	});
}

/** What the process prints, as it prints it. */
export function outputOf(running: Running): ReadableStream<Uint8Array> {
	let taken = 0;
	return new ReadableStream({
		async pull(controller) {
			const isMore = await running
				.until(({ out }) => out.length > taken)
				.then(
					() => true,
					() => false,
				);
			if (!isMore) return controller.close();
			const { out } = running.output();
			controller.enqueue(new TextEncoder().encode(out.slice(taken)));
			taken = out.length;
		},
	});
}

interface Seen extends Pick<Editor, "updates" | "permissions" | "elicitations" | "order"> {
	/** Resolves when something arrives. */
	changed: PromiseWithResolvers<void>;
}

function note(seen: Seen, what: string): void {
	seen.order.push(what);
	seen.changed.resolve();
	seen.changed = Promise.withResolvers();
}

/** Until the agent withdraws its question. */
async function never(signal: AbortSignal): Promise<void> {
	const { promise, reject } = Promise.withResolvers<void>();
	signal.addEventListener("abort", () => reject(signal.reason));
	await promise;
}

function appOf(options: EditorOptions, seen: Seen): ClientApp {
	const buffers = options.buffers ?? new Map<string, string>();
	const app = client({ name: "test editor" });
	return (options.terminals ? withTerminals(app, options.terminals) : app)
		.onNotification(methods.client.session.update, ({ params }) => {
			seen.updates.push(params.update);
			note(seen, params.update.sessionUpdate);
		})
		.onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
			seen.permissions.push(params);
			note(seen, "permission");
			if (!options.permission) await never(signal);
			const optionId = await options.permission?.(params);
			return {
				outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId },
			};
		})
		.onRequest(methods.client.elicitation.create, ({ params }) => {
			const request = params as unknown as ElicitationRequest;
			seen.elicitations.push(request);
			return options.elicitation?.(request) ?? { action: "cancel" };
		})
		.onRequest(methods.client.fs.readTextFile, ({ params }) => {
			const content = buffers.get(params.path);
			if (content === undefined) throw new Error(`not open: ${params.path}`);
			return { content };
		})
		.onRequest(methods.client.fs.writeTextFile, ({ params }) => {
			note(seen, "write");
			if (!buffers.has(params.path)) throw new Error(`not open: ${params.path}`);
			buffers.set(params.path, params.content);
			return {};
		});
}
