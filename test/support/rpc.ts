/** RPC mode in one process: a host with a played model, and the streams to it. */
import type { Model } from "@tau/ai";
import {
	autoCompaction,
	Compactor,
	persistence,
	SessionManager,
	type AgentSession,
	type AgentSessionOptions,
	type CompactionSettings,
} from "@tau/session";
import { compactionOf, runRpc, type RpcHost, type RpcStreams } from "@tau/coding-agent/testing";

import { testModel, testSession } from "./session.ts";

export interface Connected extends RpcStreams, AsyncDisposable {
	readonly host: RpcHost;
	/** Ends the input, and waits for the mode to end. */
	end(): Promise<void>;
}

export interface ConnectOptions {
	/** Asked for every piece that goes out: what it returns is waited for. */
	onWrite?(text: string): void | Promise<void>;
	session?: Partial<AgentSessionOptions>;
	model?: Partial<Model>;
	/** Without it the conversation cannot be compacted. */
	compaction?: CompactionSettings;
	/** What was said before. */
	log?: SessionManager;
}

export function connect(
	played: { anthropicUrl: string },
	{ onWrite, session: more = {}, model = {}, ...kept }: ConnectOptions = {},
): Connected {
	const host = hostOf(testModel({ baseUrl: played.anthropicUrl, ...model }), more, kept);
	const input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1 << 20 });
	const writer = input.writable.getWriter();
	const output = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
		highWaterMark: 1 << 20,
	});
	const sink = output.writable.getWriter();
	const encoder = new TextEncoder();
	const running = runRpc({
		host,
		input: input.readable,
		out: {
			write(text) {
				void sink.write(encoder.encode(text));
				return onWrite?.(text);
			},
		},
		signal: new AbortController().signal,
	}).finally(() => sink.close());
	const end = async (): Promise<void> => {
		await writer.close().catch(() => {});
		await running;
	};
	return {
		host,
		output: output.readable,
		write: (line) => writer.write(encoder.encode(line)),
		end,
		async [Symbol.asyncDispose]() {
			await end();
			host.session[Symbol.dispose]();
		},
	};
}

function hostOf(
	model: Model,
	more: Partial<AgentSessionOptions>,
	{ compaction, log = SessionManager.inMemory("/") }: Pick<ConnectOptions, "compaction" | "log">,
): RpcHost {
	const create = (): AgentSession => {
		const compactor = compaction && new Compactor(log, compaction);
		return testSession(model, {
			...more,
			...(compactor ? { compactor } : {}),
			messages: log.buildSessionContext().messages,
			behaviors: [
				persistence(log),
				...(more.behaviors ?? []),
				...(compactor && compaction ? [autoCompaction(compactor, compaction)] : []),
			],
		});
	};
	let session = create();
	return {
		log,
		env: {},
		isAutoRetryOn: true,
		...(compaction ? { compaction: compactionOf(compaction, () => session) } : {}),
		get session() {
			return session;
		},
		models: { available: () => [model], scoped: () => [], ready: async () => model },
		reopen() {
			session[Symbol.dispose]();
			session = create();
		},
	};
}
