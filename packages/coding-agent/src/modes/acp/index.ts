/** The entry point of ACP mode: Tau as the agent of an editor. */
import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { lineStream, startOf } from "@tau/server/adapters/message-stream";
import { isRecord } from "@tau/utils";

import type { Output } from "../output.ts";
import { AcpAgent, type AcpApplication } from "./agent.ts";

export type { OpenRequest } from "./agent.ts";
export type { OpenedSession } from "./session.ts";

export interface AcpOptions extends AcpApplication {
	input: ReadableStream<Uint8Array>;
	out: Pick<Output, "write">;
	/** Ends it as the end of the input does. */
	signal: AbortSignal;
	/** Whether version 2 of the protocol, which is a draft, is spoken with a client that asks for it. */
	hasDraft(): Promise<boolean>;
}

/** Serves one client until it leaves; then everything that its sessions run is ended. */
export async function runAcp({ input, out, signal, hasDraft, ...application }: AcpOptions): Promise<void> {
	await using tau = new AcpAgent(application);
	if (signal.aborted) return;
	const { first, stream } = await startOf(lineStream<AnyMessage>(input, out, signal));
	const isDraft = isForDraft(first) && (await hasDraft());
	const connector = isDraft ? (await import("./v2.ts")).withDraft(tau) : tau.app();
	await connector.connect(stream).closed;
}

/** Nothing of version 2 is loaded for the others. */
function isForDraft(first: unknown): boolean {
	const { params } = isRecord(first) ? first : {};
	return isRecord(params) && typeof params.protocolVersion === "number" && params.protocolVersion > 1;
}
