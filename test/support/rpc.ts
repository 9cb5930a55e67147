/** RPC mode in one process: a host with a played model, and the streams to it. */
import type { Model } from "@tau/ai";
import { runRpc, type RpcSession, type RpcStreams } from "@tau/server/rpc";
import type { SessionHost } from "@tau/session/host";
import type { Right } from "@tau/wire";

import { testHost, type TestHostOptions } from "./host.ts";
import { testModel } from "./session.ts";

export interface Connected extends RpcStreams, AsyncDisposable {
	readonly host: SessionHost;
	/** Closes the input and waits for the mode to end. */
	end(): Promise<void>;
}

export interface ConnectOptions extends TestHostOptions {
	/** Called for every chunk of output; its promise is awaited. */
	onWrite?(text: string): void | Promise<void>;
	model?: Partial<Model>;
	/** What the client may do; everything by default. */
	rights?: Right;
	/** What its slash commands work with; without it there are none. */
	commands?(host: SessionHost): RpcSession["commands"];
}

export async function connect(
	played: { anthropicUrl: string },
	{ onWrite, model = {}, rights, commands, ...options }: ConnectOptions = {},
): Promise<Connected> {
	const host = await testHost(testModel({ baseUrl: played.anthropicUrl, ...model }), options);
	const input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1 << 20 });
	const writer = input.writable.getWriter();
	const output = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
		highWaterMark: 1 << 20,
	});
	const sink = output.writable.getWriter();
	const encoder = new TextEncoder();
	const running = runRpc({
		requests: host.requests,
		open: () => ({ host, rights, commands: commands?.(host) }),
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
			await host[Symbol.asyncDispose]();
		},
	};
}
