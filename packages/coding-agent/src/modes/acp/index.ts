/** The entry point of ACP mode: Tau as the agent of an editor. */
import { listen } from "@tau/utils";

import type { Output } from "../output.ts";
import { AcpAgent, type AcpApplication } from "./agent.ts";
import { lineStream } from "./stream.ts";

export type { AcpApplication, OpenRequest } from "./agent.ts";
export type { OpenedSession } from "./session.ts";

export interface AcpOptions extends AcpApplication {
	input: ReadableStream<Uint8Array>;
	out: Pick<Output, "write">;
	/** Ends it as the end of the input does. */
	signal: AbortSignal;
}

/** Serves one client until it leaves; then everything that its sessions run is ended. */
export async function runAcp({ input, out, signal, ...application }: AcpOptions): Promise<void> {
	await using tau = new AcpAgent(application);
	const connection = tau.app().connect(lineStream(input, out));
	using _ = listen(signal, "abort", () => connection.close());
	if (signal.aborted) connection.close();
	await connection.closed;
}
