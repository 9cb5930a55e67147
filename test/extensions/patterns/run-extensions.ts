/** Runs extensions of third parties in the real program, over RPC and with a played model. */
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { model, startRpc, type Frame, type RpcProcess } from "../../rpc/rpc-process.ts";
import { launch, type Launched } from "../../support/launch.ts";

export interface ExtensionRun extends AsyncDisposable {
	tau: Launched;
	rpc: RpcProcess;
}

export interface ExtensionRunOptions {
	scenario?: Scenario;
	/** Called before Tau starts; returns additional arguments. */
	prepare?(tau: Launched): string[] | void;
	env?(tau: Launched): Record<string, string>;
}

/** The arguments that load these files of a folder. */
export function loading(folder: string, names: readonly string[]): string[] {
	return names.flatMap((name) => ["-e", join(folder, name)]);
}

export async function runExtensions(
	folder: string,
	names: readonly string[],
	{ scenario = { steps: [] }, prepare, env }: ExtensionRunOptions = {},
): Promise<ExtensionRun> {
	const tau = await launch(scenario);
	const more = prepare?.(tau) ?? [];
	const rpc = startRpc(tau, [...model, ...loading(folder, names), ...more], env?.(tau) ?? {});
	return {
		tau,
		rpc,
		async [Symbol.asyncDispose]() {
			await rpc[Symbol.asyncDispose]();
			await tau[Symbol.asyncDispose]();
		},
	};
}

/** An answer of the played model that calls a tool. */
export const callOf = (name: string, args: object = {}) => ({
	answer: { blocks: [{ toolCall: { name, arguments: { ...args } } }] },
});

/** Matches UI output of an extension that contains this text. */
export const shows = (method: string, words: string) => (frame: Frame) =>
	frame.type === "extension_ui_request" && frame.method === method && JSON.stringify(frame).includes(words);

/** Runs a command and returns its notifications. */
export async function waitForNotice({ rpc }: ExtensionRun, command: string, words: string): Promise<void> {
	await rpc.ask({ type: "prompt", message: command });
	await rpc.until(shows("notify", words));
	// All of its output has arrived when the next request is answered.
	await rpc.ask({ type: "get_state" });
}

/** Sends a prompt and waits until the run has ended. */
export async function say({ rpc }: ExtensionRun, message: string): Promise<void> {
	const from = rpc.frames.length;
	await rpc.ask({ type: "prompt", message });
	await rpc.until(({ type }) => type === "agent_end", from);
	await rpc.ask({ type: "get_state" });
}

/** The body of the request with this number. */
export const bodyOf = ({ tau }: ExtensionRun, index: number): string =>
	tau.played.requests[index]?.rawBody ?? "";

/** The names of the tools in the request with this number. */
export function toolsOf({ played }: Launched, index: number): string[] {
	const body = played.requests[index]?.body as { tools: { name: string }[] } | undefined;
	return (body?.tools ?? []).map(({ name }) => name);
}
