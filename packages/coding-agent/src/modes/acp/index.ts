/** The entry point of ACP mode: Tau as the agent of an editor. */
import type { Output } from "../output.ts";
import { AcpAgent, type AcpApplication } from "./agent.ts";
import { lineStream } from "./stream.ts";

export type { OpenRequest } from "./agent.ts";
export type { OpenedSession } from "./session.ts";

export interface AcpOptions extends AcpApplication {
	input: ReadableStream<Uint8Array>;
	out: Pick<Output, "write">;
	/** Ends it as the end of the input does. */
	signal: AbortSignal;
	/** Also speaks version 2 of the protocol, which is a draft, with a client that asks for it. */
	hasDraft: boolean;
}

/** Serves one client until it leaves; then everything that its sessions run is ended. */
export async function runAcp({ input, out, signal, hasDraft, ...application }: AcpOptions): Promise<void> {
	await using tau = new AcpAgent(application);
	// Without another one the client does not need to say which version it means.
	const connector = hasDraft ? (await import("./v2.ts")).withDraft(tau) : tau.app();
	if (!signal.aborted) await connector.connect(lineStream(input, out, signal)).closed;
}
